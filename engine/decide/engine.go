package decide

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/loopx-dev/loopx-policy/engine/bundle"
	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/schema"
	"github.com/loopx-dev/loopx-policy/engine/store"
	"github.com/loopx-dev/loopx-policy/engine/vm"
)

// Entrypoints of the bundle that this package evaluates.
const (
	EntryShouldRun  = "data.loopx.should_run.decision"
	EntryItem       = "data.loopx.plan.item"
	EntryStanding   = "data.loopx.plan.standing"
	EntryPlan       = "data.loopx.plan.document"
	EntryInvariants = "data.loopx.invariants.violations"
)

// Entrypoints are what a bundle must define.
var Entrypoints = []string{EntryShouldRun, EntryItem, EntryStanding, EntryPlan, EntryInvariants}

// leavesRecord says that the request names a turn or asks for a host poll receipt.
func leavesRecord(request facts.Request) bool {
	return request.TurnInstanceID != "" || request.RecordHostPoll
}

// Kinds of documents, one schema each.
const (
	KindShouldRun = "should-run"
	KindPlan      = "plan"
	KindStatus    = "status"
	// KindPolicyCheck and KindUsage only exist as reports and refusals.
	KindPolicyCheck = "policy-check"
	KindUsage       = "usage"
)

// Collector reads the facts. It never judges and never writes.
type Collector interface {
	// Input reads what the rules need for a request. Without a goal id it gives the route and its findings.
	Input(ctx context.Context, request facts.Request, now time.Time) (*facts.Input, error)
	// Peer reads what the rules need for the plan item of a goal, or a part of it.
	Peer(ctx context.Context, goalID string, now time.Time) (*facts.Input, error)
	// Goals lists the registered goals in registry order.
	Goals() []string
}

// Engine answers questions from one bundle and one collector.
type Engine struct {
	bundle  *bundle.Bundle
	facts   Collector
	order   map[string]int
	verbose bool
	schemas *schema.Set
	store   store.Store // nil when the engine only answers
	again   func() (Collector, error)
}

// New joins a bundle and a collector. Verbose refusals carry the raw text of unexpected errors.
func New(b *bundle.Bundle, collector Collector, verbose bool) (*Engine, error) {
	var output struct {
		Order []string `json:"order"`
	}
	if err := b.DecodeSettings("output", &output); err != nil {
		return nil, err
	}
	return &Engine{bundle: b, facts: collector, order: ranks(output.Order), verbose: verbose, schemas: embedded}, nil
}

// ShouldRun answers whether the agent may run now. The document is always usable; the error says why it is a refusal. A
// request that names a turn or asks for a host poll receipt leaves a record, every other one leaves no trace.
func (e *Engine) ShouldRun(ctx context.Context, request facts.Request, now time.Time) (*Document, error) {
	return e.answer(ctx, KindShouldRun, request, func() (*Document, error) {
		if leavesRecord(request) {
			return e.turn(ctx, request, now)
		}
		input, peers, err := e.gathered(ctx, EntryStanding, request, now)
		if err != nil {
			return nil, err
		}
		doc, err := e.evaluate(ctx, KindShouldRun, EntryShouldRun, input, peers)
		if err != nil {
			return nil, err
		}
		return doc, e.checkInvariants(ctx, doc)
	})
}

// Plan answers which goals wait for what. The kind is KindPlan or KindStatus, as request.Command says.
func (e *Engine) Plan(ctx context.Context, request facts.Request, now time.Time) (*Document, error) {
	return e.answer(ctx, request.Command, request, func() (*Document, error) {
		input, peers, err := e.gathered(ctx, EntryItem, request, now)
		if err != nil {
			return nil, err
		}
		return e.evaluate(ctx, request.Command, EntryPlan, input, peers)
	})
}

// answer turns an error or a panic into a refusal.
func (e *Engine) answer(ctx context.Context, kind string, request facts.Request, f func() (*Document, error)) (doc *Document, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("internal error: %v", r)
		}
		if err != nil {
			doc = Refuse(kind, request, err, e.verbose)
		}
	}()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return f()
}

func (e *Engine) evaluate(
	ctx context.Context, kind, entrypoint string, input *facts.Input, peers []vm.Value,
) (*Document, error) {
	document, err := inputValue(input, peers)
	if err != nil {
		return nil, err
	}
	value, err := e.bundle.Eval(ctx, entrypoint, document)
	if err != nil {
		return nil, err
	}
	object, ok := value.(*vm.Object)
	if !ok {
		return nil, &bundle.Error{Code: bundle.CodeUndefined, Message: entrypoint + " gives no object"}
	}
	if object, err = explained(e.bundle, object, document); err != nil {
		return nil, err
	}
	doc := newDocument(kind, object, e.order)
	if len(peers) >= manyPeers {
		go doc.JSON() // written beside the check, since most callers want it
	}
	return doc, checkSchemaOf(e.schemas, doc)
}

// manyPeers is from how many goals on writing an answer takes long enough to be worth a core of its own.
const manyPeers = 100

// checkInvariants asks the bundle whether its own answer may be shown. Anything but an empty collection refuses it.
func (e *Engine) checkInvariants(ctx context.Context, doc *Document) error {
	input := vm.NewObject(1)
	input.Put(vm.String("decision"), doc.Value)
	value, err := e.bundle.Eval(ctx, EntryInvariants, input)
	if err != nil {
		return err
	}
	var first vm.Value
	switch v := value.(type) {
	case *vm.Set:
		if v.Len() == 0 {
			return nil
		}
		first = v.Member(0)
	case *vm.Array:
		if v.Len() == 0 {
			return nil
		}
		first = v.Elem(0)
	default:
		return &InvariantError{Message: fmt.Sprintf("%s gives %s instead of a collection", EntryInvariants, vm.TypeName(value))}
	}
	out := &InvariantError{Message: string(vm.AppendJSON(nil, first))}
	if object, ok := first.(*vm.Object); ok {
		rule, _ := object.Get(vm.String("rule")).(vm.String)
		out.Rule = string(rule)
		if message, ok := object.Get(vm.String("message")).(vm.String); ok && message != "" {
			out.Message = string(message)
		}
	}
	return out
}

// gathered reads the facts of a request and evaluates an entrypoint for every other goal.
func (e *Engine) gathered(
	ctx context.Context, entrypoint string, request facts.Request, now time.Time,
) (*facts.Input, []vm.Value, error) {
	input, err := e.facts.Input(ctx, request, now)
	if err != nil {
		return nil, nil, err
	}
	peers, err := e.items(ctx, entrypoint, request.GoalID, input, now)
	return input, peers, err
}

// items evaluates an entrypoint for every registered goal but one and adds to the input what was found on the way. The
// entrypoint is that of the plan item, or of its standing where no items are shown.
func (e *Engine) items(ctx context.Context, entrypoint, except string, input *facts.Input, now time.Time) ([]vm.Value, error) {
	others, err := e.others(ctx, entrypoint, except, now)
	if err != nil {
		return nil, err
	}
	others.add(input)
	return others.items, nil
}

// others is what the other goals add to a decision: their plan items, and what was found on the way.
type others struct {
	items    []vm.Value
	findings []facts.Finding
	runs     int
	until    int64
}

func (o *others) add(input *facts.Input) {
	input.Route.RunCount += o.runs
	input.RunsUntilNS = facts.Earliest(input.RunsUntilNS, o.until)
	input.Findings = addFindings(input.Findings, o.findings)
}

// others evaluates an entrypoint for every registered goal but one, on all cores, in registry order.
func (e *Engine) others(ctx context.Context, entrypoint, except string, now time.Time) (*others, error) {
	var ids []string
	for _, id := range e.facts.Goals() {
		if id != except {
			ids = append(ids, id)
		}
	}
	out := &others{items: make([]vm.Value, len(ids))}
	errs := make([]error, len(ids))
	found := make([][]facts.Finding, len(ids))
	counts := make([]int, len(ids))
	until := make([]int64, len(ids))
	parallel(len(ids), func(i int) {
		peer, err := e.facts.Peer(ctx, ids[i], now)
		if err != nil {
			errs[i] = fmt.Errorf("goal %s: %w", ids[i], err)
			return
		}
		found[i], counts[i], until[i] = peer.Findings, peer.Route.RunCount, peer.RunsUntilNS
		given, err := facts.Value(peer)
		if err == nil {
			out.items[i], err = e.bundle.Eval(ctx, entrypoint, given)
		}
		if err != nil {
			errs[i] = fmt.Errorf("goal %s: %w", ids[i], err)
		}
	})
	for i := range ids {
		if errs[i] != nil {
			return nil, errs[i]
		}
		out.runs += counts[i]
		out.until = facts.Earliest(out.until, until[i])
	}
	out.findings = slices.Concat(found...)
	return out, nil
}

// parallel calls f for 0..n-1 on all cores and passes on a panic.
func parallel(n int, f func(int)) {
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		next  int
		cause any
	)
	for range min(runtime.GOMAXPROCS(0), n) {
		wg.Go(func() {
			defer func() {
				if r := recover(); r != nil {
					mu.Lock()
					cause = r
					mu.Unlock()
				}
			}()
			for {
				mu.Lock()
				i := next
				next++
				mu.Unlock()
				if i >= n {
					return
				}
				f(i)
			}
		})
	}
	wg.Wait()
	if cause != nil {
		panic(cause)
	}
}
