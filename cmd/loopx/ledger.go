package main

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loopx-dev/loopx-policy/engine/decide"
	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/goalstate"
	"github.com/loopx-dev/loopx-policy/engine/facts/isotime"
	"github.com/loopx-dev/loopx-policy/engine/render"
)

// ledgerOptions are the flags of the commands that keep the ledger and the records of polls.
type ledgerOptions struct {
	shouldRunOptions
	write facts.Write
	entry string
	// finish completes the write once the flags are read.
	finish func()
}

const ledgerNote = ` Without --execute the call only says what
it would append.`

// newSpendSlot accounts a finished turn.
func newSpendSlot(g *globals) *cobra.Command {
	spend := &facts.SpendWrite{}
	o := &ledgerOptions{entry: decide.EntrySpend, write: facts.Write{Spend: spend}}
	o.finish = func() {
		if n, err := strconv.ParseInt(spend.Slots, 10, 64); err == nil {
			spend.SlotCount = &n
		}
		spend.ReasonSummary = collapse(spend.ReasonSummary)
	}
	cmd := o.command(g, "spend-slot", "Account one finished turn",
		`Account one finished turn against its delivery record, after its validated writeback. The guard is asked again, so the
same --available-capability flags belong here. A spend is accounting: it permits nothing and changes no gate.`+ledgerNote,
		`  loopx quota spend-slot --goal-id parser --agent-id codex-1 --todo-id todo_ab12cd34ef56
  loopx quota spend-slot --goal-id parser --slots 1 --execute
  loopx quota spend-slot --goal-id parser --slots 30 --source controller --execute`)
	f := cmd.Flags()
	f.StringVar(&spend.Slots, "slots", "1", "`number` of slots, at least 1")
	o.addSource(g, cmd, "spend", &spend.Source)
	f.StringVar(&spend.TodoID, "todo-id", "", "`todo` that the turn worked on")
	f.StringVar(&spend.ReplanObligationID, "replan-obligation-id", "", "replan `obligation` that the turn settled, instead of a todo")
	f.StringVar(&spend.ReasonSummary, "reason-summary", "", "short public `reason`, kept in the event")
	o.addTurn(cmd)
	return cmd
}

// newVoidSlot takes a recorded spend back.
func newVoidSlot(g *globals) *cobra.Command {
	void := &facts.VoidWrite{}
	o := &ledgerOptions{entry: decide.EntryVoid, write: facts.Write{Void: void}}
	o.finish = func() { void.ReasonSummary = collapse(void.ReasonSummary) }
	cmd := o.command(g, "void-slot", "Take a recorded spend back",
		`Take a recorded spend back. The spend stays in the history; a second record gives its slots back.`+ledgerNote,
		"  loopx quota void-slot --goal-id parser --void-generated-at 2026-08-20T11:30:00+00:00 --reason-summary 'Counted twice' --execute")
	f := cmd.Flags()
	f.StringVar(&o.request.RunGeneratedAt, "void-generated-at", "", "`generated_at` of the spend, as recorded (required)")
	o.addSource(g, cmd, "void", &void.Source)
	f.StringVar(&void.ReasonSummary, "reason-summary", "", "short public `reason`, kept in the event")
	return cmd
}

// newMonitorPoll records what a monitor showed.
func newMonitorPoll(g *globals) *cobra.Command {
	poll := &facts.PollWrite{}
	o := &ledgerOptions{entry: decide.EntryMonitorPoll, write: facts.Write{Poll: poll}}
	o.finish = func() {
		_, poll.CadenceSeconds = goalstate.Cadence(poll.Cadence)
		poll.NextRepository = goalstate.Repository(poll.NextTaskRepository)
		poll.NextDueNS, _ = isotime.ParseNS(poll.NextDueAt)
		for _, text := range []*string{&poll.NextAgentTodo, &poll.NextUserTodo, &poll.ReasonSummary} {
			*text = collapse(*text)
		}
		poll.NextCapabilities = slices.DeleteFunc(poll.NextCapabilities, func(c string) bool { return strings.TrimSpace(c) == "" })
	}
	cmd := o.command(g, "monitor-poll", "Record what a monitor showed",
		`Record what a monitor showed: nothing new, or a material change with its follow-ups. A poll never spends. The watched
todo gets its next due time; a due monitor is named by --todo-id or --target-key, with --result-hash.`+ledgerNote,
		`  loopx quota monitor-poll --goal-id parser --todo-id todo_ab12cd34ef56 --result-hash 9f3c --execute
  loopx quota monitor-poll --goal-id parser --todo-id todo_ab12cd34ef56 --result-hash 77aa --material-change --next-agent-todo 'Read the notes.' --execute`)
	f := cmd.Flags()
	f.StringVar(&poll.TodoID, "todo-id", "", "`todo` that was watched")
	f.StringVar(&poll.TargetKey, "target-key", "", "target `key` of the todo that was watched")
	f.StringVar(&poll.ResultHash, "result-hash", "", "short `hash` of what was seen")
	f.BoolVar(&poll.MaterialChange, "material-change", false, "what was seen changes what is to be done")
	f.StringVar(&poll.Cadence, "cadence", "", "new `cadence` of the monitor, such as 30m")
	f.StringVar(&poll.NextDueAt, "next-due-at", "", "ISO 8601 `time` of the next look (default now and the cadence)")
	f.StringVar(&poll.NextAgentTodo, "next-agent-todo", "", "`text` of a follow-up for an agent")
	f.StringVar(&poll.NextActionKind, "next-action-kind", "", "action `kind` of the agent's follow-up")
	f.StringVar(&poll.NextTaskRepository, "next-task-repository", "", "task `repository` of the agent's follow-up")
	f.StringArrayVar(&poll.NextCapabilities, "next-required-capability", nil, "`capability` that the agent's follow-up needs; may be repeated")
	f.StringVar(&poll.NextContinuationPolicy, "next-continuation-policy", "", "continuation `policy` of the agent's follow-up")
	f.StringVar(&poll.NextTargetKey, "next-target-key", "", "target `key` of the agent's follow-up")
	f.StringVar(&poll.NextClaimedBy, "next-claimed-by", "", "`agent` that takes the agent's follow-up")
	f.StringVar(&poll.NextUserTodo, "next-user-todo", "", "`text` of a follow-up for the user")
	f.StringVar(&poll.NextUserTaskClass, "next-user-task-class", "", "`class` of the user's follow-up: user_gate blocks, user_action reminds")
	f.StringVar(&poll.ReasonSummary, "reason-summary", "", "short public `reason`, kept in the record")
	f.StringArrayVar(&o.request.IncludeDetail, "include-detail", []string{}, "`section` to give in full: decisions or all")
	o.addSource(g, cmd, "poll", &poll.Source)
	o.addTurn(cmd)
	complete(cmd, "next-user-task-class", list(func() []string { return words(g.settings("poll")["user_classes"]) }))
	return cmd
}

func (o *ledgerOptions) command(g *globals, name, short, long, example string) *cobra.Command {
	o.request = g.request(name)
	cmd := &cobra.Command{
		Use: name, Short: short, Long: long, Example: example, Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.finish()
			doc, err := g.record(cmd.Context(), o.entry, o.finished(), o.write)
			if err != nil {
				return err
			}
			return g.print(render.Report, doc)
		},
	}
	o.addCaller(g, cmd)
	f := cmd.Flags()
	f.BoolVar(&o.request.DryRun, "dry-run", false, "only say what would be appended (the default)")
	f.BoolVar(&o.request.Execute, "execute", false, "append it")
	return cmd
}

func (o *ledgerOptions) addSource(g *globals, cmd *cobra.Command, topic string, source *string) {
	cmd.Flags().StringVar(source, "source", "", "`source` of the call (default heartbeat)")
	complete(cmd, "source", list(func() []string { return words(g.settings(topic)["sources"]) }))
}

// addTurn adds the id of the turn that a heartbeat is in.
func (o *shouldRunOptions) addTurn(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.request.TurnInstanceID, "turn-instance-id", "", "stable `id` of the heartbeat turn; needs --agent-id")
}

// collapse turns every run of white space into one space.
func collapse(text string) string { return strings.Join(strings.Fields(text), " ") }
