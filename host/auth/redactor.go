package auth

import (
	"slices"
	"strings"
	"sync"

	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// A Redactor takes the secrets that it knows out of texts: as they are, and escaped as in string literals
// of JSON, JavaScript and Go, as in URLs, or in base64, also one inside of the other, up to three deep. Of
// base64 whole groups of four digits go. A secret of less than 8 bytes is taken out only where it is not
// part of a longer word. Not taken out is what other text has by chance: blanks, what has less than 4 bytes,
// and numbers, true, false and null of JSON with less than 8. Of a secret of more than 4 KiB the beginning
// is looked for, and as many bytes as it has go from there.
//
// Other ways to write a text are not undone: \u{2d} and octal escapes, the entities of HTML and XML,
// hexadecimal digits, base32, quoted-printable, base64 that is broken into lines, and all that is compressed,
// encrypted or hashed. Base64 is found where its digits begin, and behind other digits of it if there is one
// of + / - _ among all of them; not found in it is a secret of less than 8 bytes that is alone there.
//
// What is made known together is a set, and sets are forgotten as a whole, the oldest first: the newest
// 32 are known, whatever is in them, and older ones as long as there are no more than 256 secrets. A set
// that is added again is the newest. What was given to Keep is not forgotten.
//
// The zero Redactor knows none. All methods may be called at the same time.
type Redactor struct {
	mu    sync.Mutex
	known known
}

const (
	fewestSets  = 32
	mostSecrets = 256
)

// known are the secrets of a Redactor. It shows itself when a Redactor is printed, so that it holds no text
// but in a Secret, and the matcher behind a pointer.
type known struct {
	kept, sets [][]Secret // the newest last
	size       int        // how many secrets are in sets
	find       *matcher   // finds them all, nil if it has to be made
}

// Add makes secrets known, as a set.
func (r *Redactor) Add(secrets ...Secret) {
	if len(secrets) == 0 {
		return
	}
	set := slices.Clone(secrets)
	r.mu.Lock()
	defer r.mu.Unlock()
	k := &r.known
	if at := indexOf(k.sets, set); at >= 0 {
		k.sets = append(slices.Delete(k.sets, at, at+1), set)
		return
	}
	k.sets, k.size, k.find = append(k.sets, set), k.size+len(set), nil
	old := 0
	for ; len(k.sets)-old > fewestSets && k.size > mostSecrets; old++ {
		k.size -= len(k.sets[old])
	}
	k.sets = slices.Delete(k.sets, 0, old)
}

// Keep makes secrets known for as long as there is the Redactor.
func (r *Redactor) Keep(secrets ...Secret) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if k := &r.known; indexOf(k.kept, secrets) < 0 {
		k.kept, k.find = append(k.kept, slices.Clone(secrets)), nil
	}
}

func indexOf(sets [][]Secret, set []Secret) int {
	return slices.IndexFunc(sets, func(s []Secret) bool { return slices.EqualFunc(s, set, Secret.is) })
}

// AddCredential makes known what a credential holds, as a set: every text and every number, at any depth,
// but for its type and when it expires.
func (r *Redactor) AddCredential(c *Credential) {
	if c == nil {
		return
	}
	doc, err := jsonspan.Scan(c.Reveal(), everyLevel)
	if err != nil {
		return
	}
	var secrets []Secret
	for member := doc.Root().First(); member.Kind() != jsonspan.Absent; member = member.Next() {
		if key := member.Key(); key == "type" || key == "expires" {
			continue
		}
		visit(member, func(n jsonspan.Node) {
			switch n.Kind() {
			case jsonspan.String:
				text, _ := wtf8.Unquote(n.Raw())
				secrets = append(secrets, NewSecret(text))
			case jsonspan.Number:
				secrets = append(secrets, NewSecret(string(n.Raw())))
			}
		})
	}
	r.Add(secrets...)
}

// matcher finds all secrets, it is nil if there are none.
func (r *Redactor) matcher() *matcher {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := &r.known
	if k.find == nil && len(k.kept)+len(k.sets) > 0 {
		var forms []string
		for _, set := range slices.Concat(k.kept, k.sets) {
			for _, secret := range set {
				forms = appendForms(forms, secret.Reveal())
			}
		}
		k.find = newMatcher(forms)
	}
	return k.find
}

// appendForms appends the forms of a secret that are not found by undoing escapes: what UTF-8 has in the
// place of what it cannot hold, and the plus signs that URLs may have in the place of spaces.
func appendForms(forms []string, text string) []string {
	if ecma.IsBlank(text) || byChance(text) {
		return forms
	}
	forms = append(forms, text)
	if repaired := wtf8.ToUTF8(text); repaired != text {
		forms = append(forms, repaired)
	}
	if strings.Contains(text, " ") {
		forms = append(forms, strings.ReplaceAll(text, " ", "+"))
	}
	return forms
}

// byChance says whether other text may well have a text, which is no word then to hide.
func byChance(text string) bool {
	return len(text) < 4 || len(text) < shortSecret && text[0] != '"' && text[0] != '[' && text[0] != '{' &&
		jsonspan.Valid([]byte(text))
}
