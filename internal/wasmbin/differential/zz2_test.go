package differential_test
import ("testing";"github.com/pintle-wasm/pintle/internal/wasmgen";"maps";"slices";"math/rand/v2")
func TestZZTraps(t *testing.T){
	for _,size:=range []int{300,1000,3000,6000}{
	m:=map[string]int{}; bytes:=0
	for seed := range uint64(150) {
		bin := wasmgen.Module(randomBytes(seed, size)); bytes+=len(bin)
		w,_:=newWorld(firstEngine(t),0)
		in,err:=w.instantiate(bin,"",nil)
		if err!=nil { m["inst "+err.Error()]++; continue}
		r:=rand.New(rand.NewPCG(1,seed))
		for range 3 { for _,n:=range slices.Sorted(maps.Keys(in.functions)) { if n[0]!='f' {continue}; in.module.setGlobal(wasmgen.Countdown,400); _,err:=in.call(n, arguments(r,in.functions[n].Params)...); m[trap(err)]++ }}
	}
	t.Log(size,bytes/150,m)
	}
}
