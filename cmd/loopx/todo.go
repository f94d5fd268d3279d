package main

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loopx-dev/loopx-policy/engine/decide"
	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/goalstate"
)

// todoOptions are the flags of a todo command. Flags that set metadata are kept by name until the command runs.
type todoOptions struct {
	authorOptions
	todo facts.TodoWrite
	next facts.NextTodo

	fields, nextFields map[string]*string   // by flag
	flags              map[string]*bool     // by flag: metadata that is true or false
	lists, nextLists   map[string]*[]string // by flag
	clears             map[string]*bool     // by key
}

// listKeys names the metadata key of a flag that may be repeated.
var listKeys = map[string]string{
	"required-write-scope":    "required_write_scopes",
	"required-capability":     "required_capabilities",
	"target-capability":       "target_capabilities",
	"required-decision-scope": "required_decision_scopes",
	"excluded-agent":          "excluded_agents",
	"explore-result-node-ref": "explore_result_node_refs",
	"successor-todo-id":       "successor_todo_ids",
}

func newTodo(g *globals) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "todo",
		Short: "List and change the todos of a goal",
		Args:  noArgs,
		RunE:  needSubcommand,
	}
	var goalID string
	cmd.PersistentFlags().StringVar(&goalID, "goal-id", "", "registered `goal` whose todos are meant (required)")
	complete(cmd, "goal-id", list(g.goalIDs))
	cmd.AddCommand(
		newTodoAdd(g, &goalID), newTodoClaim(g, &goalID), newTodoUpdate(g, &goalID), newTodoComplete(g, &goalID),
		newTodoSupersede(g, &goalID), newTodoList(g, &goalID), newTodoArchive(g, &goalID),
	)
	return cmd
}

func (g *globals) newTodoOptions(command string, writes bool) *todoOptions {
	o := &todoOptions{
		authorOptions: authorOptions{request: g.request(command), entry: decide.EntryTodoWrite, writes: writes},
		fields:        map[string]*string{}, nextFields: map[string]*string{}, flags: map[string]*bool{},
		lists: map[string]*[]string{}, nextLists: map[string]*[]string{}, clears: map[string]*bool{},
	}
	o.write.Todo = &o.todo
	return o
}

func (o *todoOptions) command(g *globals, goalID *string, use, short, long, example string) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Long: long, Example: example, Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.request.GoalID = *goalID
			o.finish(cmd)
			return o.run(g, cmd)
		},
	}
	cmd.Flags().StringVar(&o.request.AgentID, "agent-id", "", "registered `agent` that calls")
	complete(cmd, "agent-id", list(func() []string { return g.agentIDs(*goalID) }))
	return cmd
}

func newTodoAdd(g *globals, goalID *string) *cobra.Command {
	o := g.newTodoOptions("todo-add", true)
	cmd := o.command(g, goalID, "add", "Add a todo",
		`Add a todo to the state file. A todo whose text is there already is brought up to date instead, and a projected todo
that is there already is left as it is, so that the command can be repeated.`,
		`  loopx todo add --goal-id parser --role agent --text '[P1] Implement the tokenizer' --task-class advancement_task
  loopx todo add --goal-id parser --role user --text 'Choose the grammar' --task-class user_gate --blocks-agent codex-1
  loopx todo add --goal-id parser --role agent --text 'Watch the release' --task-class continuous_monitor --cadence 30m --watch-only --dry-run`)
	f := cmd.Flags()
	f.StringVar(&o.todo.Role, "role", "", "`role` that owns the todo: agent or user (default agent)")
	f.StringVar(&o.todo.Text, "text", "", "`text` of the todo, with its priority such as [P1] (required)")
	f.StringVar(&o.todo.Status, "status", "", "`status`: open, blocked or deferred (default open)")
	o.addMetadata(g, cmd)
	o.addModes(cmd)
	completeFixed(cmd, "role", roles)
	return cmd
}

var roles = []string{"agent", "user"}

func newTodoClaim(g *globals, goalID *string) *cobra.Command {
	o := g.newTodoOptions("todo-claim", true)
	cmd := o.command(g, goalID, "claim", "Claim a todo for an agent",
		"Claim an open agent todo, so that no other agent works on it.",
		"  loopx todo claim --goal-id parser --todo-id todo_tok --agent-id codex-1")
	o.addTarget(cmd)
	o.field(cmd, "claimed-by", "`agent` that claims it (default the calling agent)")
	o.addModes(cmd)
	return cmd
}

func newTodoUpdate(g *globals, goalID *string) *cobra.Command {
	o := g.newTodoOptions("todo-update", true)
	cmd := o.command(g, goalID, "update", "Change a todo",
		"Change the text, the status or the metadata of a todo. What is not named stays byte for byte.",
		`  loopx todo update --goal-id parser --todo-id todo_tok --status blocked --note 'waits for the grammar'
  loopx todo update --goal-id parser --todo-id todo_gate --bound-agent codex-1 --clear-global-gate`)
	f := cmd.Flags()
	o.addTarget(cmd)
	f.StringVar(&o.todo.Text, "text", "", "new `text`")
	f.StringVar(&o.todo.Status, "status", "", "`status`: open, blocked, done or deferred")
	f.BoolVar(&o.todo.NoFollowup, "no-follow-up", false, "nothing follows this todo; needs --note, --reason or --evidence")
	o.addMetadata(g, cmd)
	o.field(cmd, "evidence", "`evidence` of what was done")
	o.list(cmd, "successor-todo-id", "`todo` that follows; may be repeated")
	for flag, key := range map[string]string{
		"clear-claim": "claimed_by", "clear-resume-when": "resume_when", "clear-blocks-agent": "blocks_agent",
		"clear-excluded-agents": "excluded_agents", "clear-global-gate": "global_gate",
	} {
		o.clears[key] = f.Bool(flag, false, "remove "+strings.ReplaceAll(key, "_", " "))
	}
	o.addModes(cmd)
	return cmd
}

func newTodoComplete(g *globals, goalID *string) *cobra.Command {
	o := g.newTodoOptions("todo-complete", true)
	cmd := o.command(g, goalID, "complete", "Complete a todo",
		`Complete a todo and say what follows: named successors, new follow-ups, or nothing. A validation command that the todo
stores is run first, in the project; its output goes to standard error.`,
		`  loopx todo complete --goal-id parser --todo-id todo_tok --agent-id codex-1 --evidence 'tests pass' --next-agent-todo 'Implement the grammar'
  loopx todo complete --goal-id parser --todo-id todo_last --agent-id codex-1 --no-follow-up --note 'nothing is left'`)
	f := cmd.Flags()
	o.addTarget(cmd)
	o.field(cmd, "evidence", "`evidence` of what was done")
	o.field(cmd, "note", "short `note`")
	o.field(cmd, "decision-outcome", "`outcome` of a user_gate: approve, reject or cancel")
	f.BoolVar(&o.todo.NoFollowup, "no-follow-up", false, "nothing follows this todo; needs --note or --evidence")
	f.BoolVar(&o.todo.SelfMerged, "self-merged", false, "the work was merged without another's review; needs --evidence")
	f.StringVar(&o.request.TurnInstanceID, "turn-instance-id", "", "`id` of the heartbeat turn that did the work")
	o.list(cmd, "successor-todo-id", "`todo` that follows; may be repeated")
	o.addNext(cmd)
	o.addModes(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		o.request.GoalID = *goalID
		o.finish(cmd)
		return o.runValidated(g, cmd)
	}
	return cmd
}

func newTodoSupersede(g *globals, goalID *string) *cobra.Command {
	o := g.newTodoOptions("todo-supersede", true)
	cmd := o.command(g, goalID, "supersede", "Replace a todo by another",
		"Close a todo because another takes its place: one that is there, or a new follow-up.",
		"  loopx todo supersede --goal-id parser --todo-id todo_tok --reason 'split' --next-agent-todo 'Implement the scanner'")
	o.addTarget(cmd)
	o.field(cmd, "reason", "`reason` for the replacement")
	o.list(cmd, "successor-todo-id", "`todo` that takes the place")
	o.addNext(cmd)
	o.addModes(cmd)
	return cmd
}

func newTodoList(g *globals, goalID *string) *cobra.Command {
	o := g.newTodoOptions("todo-list", false)
	o.entry = decide.EntryTodoList
	cmd := o.command(g, goalID, "list", "List todos",
		"List the todos of the active sections, open and closed. The archive is left out.",
		"  loopx todo list --goal-id parser --role agent\n  loopx todo list --goal-id parser --agent-id codex-1 --status open --format json")
	f := cmd.Flags()
	f.StringVar(&o.todo.Role, "role", "", "only todos of this `role`")
	f.StringVar(&o.todo.Status, "status", "", "only todos of this `status`")
	f.StringVar(&o.todo.TodoID, "todo-id", "", "only this `todo`")
	f.Int64Var(&o.todo.Limit, "limit", 0, "at most this `number` of todos (default all)")
	completeFixed(cmd, "role", roles)
	return cmd
}

func newTodoArchive(g *globals, goalID *string) *cobra.Command {
	o := g.newTodoOptions("todo-archive-completed", false)
	cmd := o.command(g, goalID, "archive-completed", "Move the oldest closed todos to the archive",
		`Move the oldest done and deferred todos to the archive section until only some are left. Decisions of the user that
still stand are never moved. The command previews unless --execute is given.`,
		"  loopx todo archive-completed --goal-id parser --max-active-done 5 --execute")
	f := cmd.Flags()
	f.StringVar(&o.todo.Role, "role", "", "`role` whose todos are moved (default agent)")
	f.StringVar(&o.todo.MaxActiveDone, "max-active-done", "", "`number` of closed todos that stay (default 10)")
	completeFixed(cmd, "role", roles)
	o.addModes(cmd)
	return cmd
}

func (o *todoOptions) addTarget(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.todo.TodoID, "todo-id", "", "`todo` that is meant (required)")
	cmd.Flags().StringVar(&o.todo.Role, "role", "", "`role` that the todo must have: agent or user (default either)")
	completeFixed(cmd, "role", roles)
}

func (o *todoOptions) field(cmd *cobra.Command, flag, usage string) {
	o.fields[flag] = cmd.Flags().String(flag, "", usage)
}

func (o *todoOptions) list(cmd *cobra.Command, flag, usage string) {
	o.lists[flag] = cmd.Flags().StringArray(flag, nil, usage)
}

// addMetadata adds the flags for metadata that add and update share.
func (o *todoOptions) addMetadata(g *globals, cmd *cobra.Command) {
	for flag, usage := range map[string]string{
		"note":                       "short `note`",
		"reason":                     "short `reason`",
		"task-class":                 "`class`: advancement_task, continuous_monitor, user_gate, user_action or blocker",
		"action-kind":                "`kind` of action, such as implement or poll",
		"task-domain":                "`domain` of the task",
		"capability-binding-ref":     "`reference` of a capability binding",
		"task-repository":            "git `remote` that the task is about",
		"continuation-policy":        "`policy` of the hand-off",
		"decision-scope":             "`kind:granularity:key` that a gate decides",
		"claimed-by":                 "`agent` that works on it",
		"bound-agent":                "`agent` whose lane a user todo belongs to",
		"blocks-agent":               "`agent` that a gate blocks",
		"unblocks-todo-id":           "`todo` that this one unblocks",
		"resume-when":                "`condition`: todo_done:ID, pr_merged:#N or capacity_available:NAME",
		"target-key":                 "`key` of the watched target",
		"cadence":                    "`interval` between checks, such as 30m",
		"next-due-at":                "ISO 8601 `time` of the next check",
		"expires-at":                 "ISO 8601 `time` at which a monitor ends",
		"replan-obligation-id":       "`obligation` that this todo answers",
		"validation-command":         "`command` that validates the result",
		"validation-label":           "`label` of the validation",
		"validation-timeout-seconds": "longest `seconds` of the validation",
	} {
		o.field(cmd, flag, usage)
	}
	for flag, usage := range map[string]string{
		"required-write-scope":    "relative path `pattern` that the task writes; may be repeated",
		"required-capability":     "`capability` that the task needs; may be repeated",
		"target-capability":       "`capability` that the task provides; may be repeated",
		"required-decision-scope": "`kind:granularity:key` that must be decided; may be repeated",
		"excluded-agent":          "`agent` that may not do it; may be repeated",
		"explore-result-node-ref": "`node` of an exploration; may be repeated",
	} {
		o.list(cmd, flag, usage)
	}
	for flag, usage := range map[string]string{
		"goal-bound": "the user todo belongs to the whole goal", "global-gate": "the gate blocks every agent",
		"watch-only": "the monitor only watches",
	} {
		o.flags[flag] = cmd.Flags().Bool(flag, false, usage)
	}
	complete(cmd, "task-class", list(func() []string { return words(g.settings("todos")["classes"]) }))
}

// addNext adds the flags for follow-ups.
func (o *todoOptions) addNext(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.next.AgentText, "next-agent-todo", "", "`text` of the agent todo that follows")
	f.StringVar(&o.next.UserText, "next-user-todo", "", "`text` of the user todo that follows")
	f.StringVar(&o.next.UserClass, "next-user-task-class", "", "`class` of that user todo: user_gate or user_action")
	for flag, usage := range map[string]string{
		"claimed-by": "`agent` that works on the agent todo that follows", "action-kind": "its `kind` of action",
		"task-repository": "git `remote` that it is about", "continuation-policy": "`policy` of the hand-off",
		"target-key": "`key` of its target",
	} {
		o.nextFields[flag] = f.String("next-"+flag, "", usage)
	}
	o.nextLists["required-capability"] = f.StringArray("next-required-capability", nil, "`capability` that it needs; may be repeated")
}

// finish turns the flags that were given into metadata.
func (o *todoOptions) finish(cmd *cobra.Command) {
	t, f := &o.todo, cmd.Flags()
	t.Fields, t.Lists, t.Repository = metadataOf(f.Changed, "", o.fields, o.lists)
	for flag, on := range o.flags {
		if f.Changed(flag) {
			t.Fields[keyOf(flag)] = strconv.FormatBool(*on)
		}
	}
	t.TimesNS = map[string]int64{}
	for key, text := range t.Fields {
		if at := instantOf(text); at != 0 {
			t.TimesNS[key] = at
		}
	}
	for _, key := range slices.Sorted(maps.Keys(o.clears)) {
		if *o.clears[key] {
			t.Clear = append(t.Clear, key)
		}
	}
	o.next.Fields, o.next.Lists, o.next.Repository = metadataOf(f.Changed, "next-", o.nextFields, o.nextLists)
	if f.Changed("next-agent-todo") || f.Changed("next-user-todo") || o.next.UserClass != "" || len(o.next.Fields)+len(o.next.Lists) > 0 {
		t.Next = &o.next
	}
}

func metadataOf(changed func(string) bool, prefix string, fields map[string]*string, lists map[string]*[]string,
) (texts map[string]string, many map[string][]string, repository string) {
	texts, many = map[string]string{}, map[string][]string{}
	for flag, value := range fields {
		if changed(prefix + flag) {
			texts[keyOf(flag)] = *value
		}
	}
	for flag, values := range lists {
		if changed(prefix + flag) {
			many[listKeys[flag]] = *values
		}
	}
	return texts, many, goalstate.Repository(texts["task_repository"])
}

// keyOf is the metadata key of a flag.
func keyOf(flag string) string { return strings.ReplaceAll(flag, "-", "_") }
