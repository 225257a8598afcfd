package differential_test
import ("testing";"errors";"bytes";"math/rand/v2";"github.com/pintle-wasm/pintle/internal/wasmgen";"github.com/pintle-wasm/pintle/internal/wasmbin";"encoding/binary")
func TestZZ3(t *testing.T){
	r:=rand.New(rand.NewPCG(1,1))
	var hist [10][2]int
	for seed := range uint64(1500) {
		bin := wasmgen.Module(randomBytes(seed, 3000))
		m,_:=wasmbin.Parse(bin,limits()); at:=0; end:=0; start:=0
		for _,x:=range m.Sections{ if x.ID==10 {
			// first body
			p:=x.Body; _,k:=binary.Uvarint(bin[p:]); p+=k
			n,k:=binary.Uvarint(bin[p:]); p+=k
			start,end=p,p+int(n)
			at=p+r.IntN(int(n))
		}}
		other := bytes.Clone(bin)
		other[at] ^= 1
		rewritten, err := rewrite(other)
		if err != nil { continue }
		err = compare(t, bin, rewritten, setups[1:2])
		d:=(at-start)*10/(end-start)
		if err==nil { hist[d][0]++; if seed<400 { t.Logf("%d/%d % x [%x] % x",at-start,end-start,bin[max(0,at-6):at],bin[at],bin[at+1:min(len(bin),at+6)])} } else if !errors.Is(err,errMaking) { hist[d][1]++ }
	}
	t.Log(hist)
}
