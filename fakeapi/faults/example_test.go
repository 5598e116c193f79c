package faults_test

import (
	"fmt"
	"net/http"

	"github.com/rawwatch/rawwatch/fakeapi"
	"github.com/rawwatch/rawwatch/fakeapi/faults"
)

// A test of one's own controller: what does it do when its API server throttles? Here the controller is a plain GET.
func Example() {
	server := fakeapi.New(fakeapi.Options{})
	defer server.Close()
	injector := faults.New(server)
	client := server.HTTPClient()
	get := func() {
		response, err := client.Get(server.URL() + "/api/v1/pods")
		if err != nil {
			fmt.Println(err)
			return
		}
		response.Body.Close()
		fmt.Println(response.Status)
	}

	throttled := injector.Inject(faults.MustFind("storm-429-seconds"), faults.When{
		Times: 2,
		Match: func(r *http.Request) bool { return r.URL.Path == "/api/v1/pods" },
	})
	get()
	get()
	get()
	fmt.Println("it happened", throttled.Hits(), "times")
	// Output:
	// 429 Too Many Requests
	// 429 Too Many Requests
	// 200 OK
	// it happened 2 times
}

func ExampleAll() {
	for _, f := range faults.InGroup(faults.Credentials)[:2] {
		fmt.Printf("%s: %s (%v)\n", f.Name, f.Summary, f.Invariants)
	}
	// Output:
	// unauthorized: 401 ([I33 I1])
	// unauthorized-watch: 401 for watches alone ([I33 I1])
}
