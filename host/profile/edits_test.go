package profile_test

import "testing"

func TestOneEditBecomesAList(t *testing.T) {
	toHost(t, onPi(t), "edit", "edit", conversions{
		`{"edits":[],"oldText":"a","newText":"b","file_path":"f"}`:                          `{"edits":[],"oldText":"a","newText":"b","path":"f"}`,
		`{"edits":null,"oldText":"a","newText":"b"}`:                                        `{"edits":[{"oldText":"a","newText":"b"}]}`,
		`{"oldText":1,"oldString":null,"old_string":"\u0061","new_string":""}`:              `{"edits":[{"oldText":"\u0061","newText":""}]}`,
		`{"old_string":"1","oldString":"2","oldText":"3","new_string":"4","newString":"5"}`: `{"edits":[{"oldText":"3","newText":"5"}]}`,
		`{"oldText":"a","newText":{},"replaceAll":true}`:                                    `{"oldText":"a","newText":{},"replaceAll":true}`,
		`{"newText":"b","x":1,"replaceAll":1,"replace_all":2,"oldText":"a"}`:                `{"x":1,"edits":[{"oldText":"a","newText":"b"}]}`,
		`{"oldText":"\ud83d","newText":"<"}`:                                                `{"edits":[{"oldText":"\ud83d","newText":"<"}]}`,
	})
}

func TestEditsAreRestated(t *testing.T) {
	toProvider(t, onPi(t), "edit", "edit", conversions{
		`{"path":"f","edits":[{"oldText":"","newText":""}]}`:       `{"filePath":"f","oldString":"","newString":""}`,
		`{"filePath":"f","edits":[{"oldText":"a","newText":"b"}]}`: `{"filePath":"f","edits":[{"oldText":"a","newText":"b"}]}`,
		`{"path":"f","edits":[{"oldText":"a","newText":"b"},{}]}`:  `{"path":"f","edits":[{"oldText":"a","newText":"b"},{}]}`,
		`{"path":"f","edits":[{"oldString":"a","newText":"b"}]}`:   `{"path":"f","edits":[{"oldString":"a","newText":"b"}]}`,
		`{"path":"f","edits":{"0":{"oldText":"a","newText":"b"}}}`: `{"path":"f","edits":{"0":{"oldText":"a","newText":"b"}}}`,
		`{"path":"f","edits":[{"oldText":"a","newText":null}]}`:    `{"path":"f","edits":[{"oldText":"a","newText":null}]}`,
		`{"path":"f","oldText":"a","newText":"b"}`:                 `{"path":"f","oldText":"a","newText":"b"}`,
	})
	toProvider(t, onOmp(t), "edit", "edit", conversions{
		`{"path":"f","oldText":"1","oldString":"2","old_string":"3","newText":"4"}`:          `{"filePath":"f","oldString":"3","newString":"4"}`,
		`{"path":"f","old_string":null,"oldString":"2","new_string":"","replace_all":false}`: `{"filePath":"f","oldString":"2","newString":"","replaceAll":false}`,
		`{"path":"f","old_string":"a","new_string":"b","replace_all":"true"}`:                `{"filePath":"f","oldString":"a","newString":"b"}`,
		`{"path":"f","old_string":"a"}`:                                                      `{"path":"f","old_string":"a"}`,
		`{"path":1,"old_string":"a","new_string":"b"}`:                                       `{"path":1,"old_string":"a","new_string":"b"}`,
	})
}
