package informer

import (
	"fmt"
	"io"
)

// Format implements fmt.Formatter: every verb names the resource. Without it fmt would walk through fields that change meanwhile.
func (i *Informer[T]) Format(s fmt.State, _ rune) {
	io.WriteString(s, "Informer("+i.resource.Resource+")")
}
