package hashline_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pintle-wasm/pintle/host/profile/hashline"
)

func ExampleParse() {
	p := hashline.Parse("[src/a.go#1f2e]\nPUT 3.=5\n+x := 1\nCUT 9*")
	fmt.Println(p.Path, p.Tag, p.Ranges)
	// Output: src/a.go 1F2E [3-5 9-]
}

func ExampleOverlap() {
	fmt.Println(hashline.Overlap([]hashline.Range{{Start: 1, End: 3}}, []hashline.Range{{Start: 3, End: hashline.Open}}))
	// Output: true
}

func ExampleClaims() {
	var claims hashline.Claims
	_, err := claims.Claim(hashline.Parse("[a.go#0001]\nPUT 1.=4"))
	fmt.Println(err)
	_, err = claims.Claim(hashline.Parse("[a.go#0001]\nCUT 4.=4"))
	fmt.Println(errors.Is(err, hashline.ErrOverlap))
	// Output:
	// <nil>
	// true
}

func ExampleCoalescer() {
	c := hashline.NewCoalescer(hashline.Window, nil, func(_ context.Context, merged string, size int) (string, error) {
		return fmt.Sprintf("%d patches:\n%s", size, merged), nil
	})
	first := c.Join(context.Background(), "[a.go#0001]\nCUT 1.=1")
	second := c.Join(context.Background(), "[a.go#0001]\nCUT 7.=7")
	for _, m := range []*hashline.Member[string]{first, second} {
		result, err := m.Wait()
		fmt.Println(result, err)
	}
	// Output:
	// 2 patches:
	// [a.go#0001]
	// CUT 1.=1
	// [a.go#0001]
	// CUT 7.=7 <nil>
	// 2 patches:
	// [a.go#0001]
	// CUT 1.=1
	// [a.go#0001]
	// CUT 7.=7 <nil>
}

func ExampleCoalescer_Apply() {
	c := hashline.NewCoalescer(time.Millisecond, nil, func(_ context.Context, merged string, _ int) (int, error) {
		return len(merged), nil
	})
	fmt.Println(c.Apply(context.Background(), "[a.go#0001]\nCUT 1.=1\n"))
	// Output: 20 <nil>
}

func ExampleMinted() {
	var minted hashline.Minted
	minted.Note("[/w/a.go#00FF]\n1:package a")
	fmt.Println(minted.Known("a.go", "00ff"))
	_, ok := minted.Restate("Error: [a.go#00FF] is not from this session")
	fmt.Println(ok)
	// Output:
	// true
	// true
}

func ExampleParseEdit() {
	edit, err := hashline.ParseEdit([]byte(`{"filePath":"a.go","oldString":"x","newString":"y","replaceAll":true}`))
	fmt.Printf("%+v %v\n", edit, err)
	// Output: {Path:a.go Old:x New:y All:true} <nil>
}

func ExampleIsPatch() {
	fmt.Println(hashline.IsPatch([]byte(`{"input":"[a.go#0001]\nCUT 1.=1"}`)))
	// Output: true
}

func ExampleEdit_Replace() {
	edit := hashline.Edit{Old: "b", New: "$1"}
	fmt.Println(edit.Replace("abc"))
	fmt.Println(edit.Replace("bb"))
	// Output:
	// a$1c 1 <nil>
	//  0 the old text is in the file more than once: give more of it, or replace all
}

func ExampleEditor() {
	e := hashline.NewEditor("/no/such/folder", func(_ context.Context, path, content string) error {
		fmt.Println(path, len(content)) // the host's own tool writes the file
		return nil
	})
	_, err := e.Edit(context.Background(), hashline.Edit{Path: "a.go", Old: "x", New: "y"})
	fmt.Println(err != nil)
	// Output: true
}
