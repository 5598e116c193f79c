package fakeapi_test

import (
	"bufio"
	"fmt"
	"net/http"

	"github.com/rawwatch/rawwatch/fakeapi"
)

// A watch sees what is written behind the API's back.
func Example() {
	server := fakeapi.New(fakeapi.Options{})
	defer server.Close()
	response, err := server.HTTPClient().Get(server.URL() + "/api/v1/pods?watch=true&resourceVersion=1")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer response.Body.Close()
	pod := `{"metadata":{"name":"web","uid":"1","creationTimestamp":"2000-01-01T00:00:00Z"}}`
	if _, err := server.Create("pods", pod); err != nil {
		fmt.Println(err)
		return
	}
	line, err := bufio.NewReader(response.Body).ReadString('\n')
	fmt.Print(line, err)
	// Output:
	// {"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web","namespace":"default","uid":"1","resourceVersion":"2","generation":1,"creationTimestamp":"2000-01-01T00:00:00Z"}}}
	// <nil>
}

// The next list is told to come back later; the one after it is served.
func ExampleServer_InterceptOnce() {
	server := fakeapi.New(fakeapi.Options{})
	defer server.Close()
	server.InterceptOnce(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/api/v1/pods" {
			return false
		}
		fakeapi.WriteStatus(w, &fakeapi.StatusError{
			Code: 429, Reason: "TooManyRequests", Message: "too many requests",
			Details: &fakeapi.StatusDetails{RetryAfterSeconds: 2},
		})
		return true
	})
	for range 2 {
		response, err := server.HTTPClient().Get(server.URL() + "/api/v1/pods")
		if err != nil {
			fmt.Println(err)
			return
		}
		response.Body.Close()
		fmt.Printf("%s Retry-After=%q\n", response.Status, response.Header.Get("Retry-After"))
	}
	// Output:
	// 429 Too Many Requests Retry-After="2"
	// 200 OK Retry-After=""
}
