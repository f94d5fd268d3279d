package decide
import ("testing";"os";"encoding/json")
func TestDump(t *testing.T){
 f,_:=os.Create("/tmp/loopx/n1d/docs.jsonl"); defer f.Close()
 for _,c:=range caseDocuments(t){ m,_:=c.document.Fields(); b,_:=json.Marshal(map[string]any{"name":c.name,"kind":c.document.Kind,"doc":m}); f.Write(append(b,'\n')) }
}
