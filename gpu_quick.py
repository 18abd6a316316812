import numpy as np, time, sys
if not hasattr(np,'row_stack'): np.row_stack=np.vstack
import numba, numba.cuda as cuda
print(numba.__version__, cuda.gpus, np.__version__)
try:
    import numba_cuda; print('numba-cuda', numba_cuda.__version__)
except Exception as e: print(e)
from ludus.envs import batch
@cuda.jit
def fill(a,v):
    i=cuda.grid(1); s=cuda.gridsize(1)
    while i<a.shape[0]:
        a[i]=v; i+=s
a=cuda.device_array(1<<29,np.int64)
def t(f,reps=5):
    f(); cuda.synchronize(); best=1e9
    for _ in range(reps):
        b=time.perf_counter(); f(); cuda.synchronize(); best=min(best,time.perf_counter()-b)
    return best
bw=max(a.nbytes/t(lambda: fill[g,256](a,1)) for g in (132*8,132*16,132*64,1<<21))
print(f'fill {bw/1e12:.2f} TB/s',flush=True); del a
for game,row in (('checkers',640),('backgammon',224)):
    for layout in ('bytes','packed'):
        for n in (4096,262144,1<<20,1<<22):
            b=time.perf_counter(); e=batch(game,n,device='cuda',layout=layout,seed=1); 
            e.step(); e.play(2); e.play(2,show=False); cuda.synchronize(); c=time.perf_counter()-b
            k=max(4,min(2000,(1<<26)//n))
            def steps():
                for _ in range(k): e.step()
            s=n*k/t(steps,3); p=n*k/t(lambda: e._play[e._grid](e._state,e._history,k,True,0,False,*e._ends,*e._seen,e._totals),3); r=n*k/t(lambda: e._play[e._grid](e._state,e._history,k,False,0,False,*e._ends,*e._seen,e._totals),3)
            by=row if layout=='bytes' else (80 if game=='checkers' else 96)
            print(f'{game} {layout} {n}: step {s/1e6:.0f} M/s ({s*by/bw:.0%} of fill), fused shown {p/1e6:.0f} M/s ({p*by/bw:.0%}), fused hidden {r/1e6:.0f} M/s; ready {c:.1f}s',flush=True)
            del e
