package differential_test
import ("testing";"errors";"bytes";"math/rand/v2";"github.com/pintle-wasm/pintle/internal/wasmgen";"strings";"github.com/pintle-wasm/pintle/internal/wasmbin")
func TestZZ(t *testing.T){
	r:=rand.New(rand.NewPCG(1,1))
	for _,size:=range []int{300,1000,3000,6000}{
	refused,same,found,making,rejected:=0,0,0,0,0
	_ = strings.Contains
	for seed := range uint64(400) {
		bin := wasmgen.Module(randomBytes(seed, size))
		other := bytes.Clone(bin)
		m,_:=wasmbin.Parse(bin,limits()); at:=0; for _,x:=range m.Sections{ if x.ID==10 { at=x.Body+1+r.IntN(x.End-x.Body-1)}}
		other[at] ^= 1
		rewritten, err := rewrite(other)
		if err != nil { refused++; continue }
		err = compare(t, bin, rewritten, setups[1:2])
		switch { case err==nil: same++; case errors.Is(err,errMaking): making++; if strings.Contains(err.Error(), "rewritten \"\"") {rejected++}; default: found++ }
	}
	t.Log(size,"refused",refused,"same",same,"found",found,"making",making)
	}
}
