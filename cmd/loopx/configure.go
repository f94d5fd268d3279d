package main

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loopx-dev/loopx-policy/engine/decide"
	"github.com/loopx-dev/loopx-policy/engine/facts"
)

// configureOptions are the flags of configure-goal.
type configureOptions struct {
	*goalOptions
	authority facts.AuthorityWrite
	switches  []switchFlag
	clears    map[string]*bool
}

// switchFlag is a pair of flags, --name and --no-name, of which at most one is given.
type switchFlag struct {
	name    string
	on, off *bool
	set     func(bool)
}

func newConfigureGoal(g *globals) *cobra.Command {
	o := &configureOptions{goalOptions: g.newGoalOptions("configure-goal", decide.EntryConfigureGoal), clears: map[string]*bool{}}
	cmd := o.command(g, "configure-goal", "Change the settings of a goal",
		"Change the settings of a goal in the registry that owns it: quota, window, self repair, agents, write scope, boundary\n"+
			"authority, owner and spawn policy. What is not named stays as it is."+operatorNote,
		`  loopx configure-goal --goal-id parser --quota-compute 0.5
  loopx configure-goal --goal-id parser --registered-agent codex-2 --agent-work-mode codex-2=monitor_only --execute
  loopx configure-goal --goal-id parser --write-scope 'docs/**' --clear-waiting-on --execute`)
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		o.finish(cmd)
		return run(cmd, args)
	}
	o.addFlags(g, cmd)
	return cmd
}

func (o *configureOptions) addFlags(g *globals, cmd *cobra.Command) {
	w, f := &o.goal, cmd.Flags()
	f.StringVar(&w.Compute, "quota-compute", "", "`share` of compute, 0 to 1; 0 pauses")
	f.StringVar(&w.WindowHours, "quota-window-hours", "", "`hours` of the quota window, at least 1")
	f.StringVar(&w.TurnGranularity, "execution-turn-granularity", "", "`size` of a turn's work: standard or fine")
	f.StringArrayVar(&w.Agents, "registered-agent", nil, "`agent` to register; may be repeated or a list with commas")
	f.StringVar(&w.AgentModel, "agent-model", "", "`model` of the roster")
	f.StringArrayVar(&w.WorkModes, "agent-work-mode", nil, "`AGENT=MODE` of a registered agent; may be repeated")
	f.StringArrayVar(&w.ClearWorkModes, "clear-agent-work-mode", nil, "`agent` whose work mode is removed; may be repeated")
	f.StringArrayVar(&w.AgentProfiles, "agent-profile-json", nil, "profile of a registered agent as `JSON`; may be repeated")
	f.BoolVar(&w.AckMigration, "ack-automation-prompt-migration", false, "record that the automation prompts were migrated")
	f.StringArrayVar(&w.WriteScope, "write-scope", nil, "relative path `pattern` that agents may write; may be repeated")
	f.BoolVar(&w.ReplaceWriteScope, "replace-write-scope", false, "replace the write scope instead of adding to it")
	f.StringVar(&w.WaitingOn, "waiting-on", "", "`owner` of the next step")
	f.StringArrayVar(&o.authority.WriteScope, "boundary-authority-scope", nil, "path `pattern` that an owner approved; may be repeated")
	f.StringVar(&o.authority.Source, "boundary-authority-source", "", "`source` of the approval (required with a scope)")
	f.StringVar(&o.authority.DecisionID, "boundary-authority-decision-id", "", "`id` of the decision")
	f.StringVar(&o.authority.RecordedAt, "boundary-authority-recorded-at", "", "ISO 8601 `time` of the decision (default now)")
	f.StringVar(&o.authority.ExpiresAt, "boundary-authority-expires-at", "", "ISO 8601 `time` at which the approval ends")
	f.StringVar(&w.OrchestrationMode, "orchestration-mode", "", "`mode` of orchestration")
	f.StringVar(&w.MaxChildren, "max-children", "", "largest `number` of children")
	f.StringArrayVar(&w.AllowedDomains, "allowed-domain", nil, "`domain` that children may work in; may be repeated")
	for _, name := range []string{"registered-agents", "agent-work-modes", "agent-profiles", "write-scope", "waiting-on", "boundary-authority"} {
		o.clears[name] = f.Bool("clear-"+name, false, "empty "+strings.ReplaceAll(name, "-", " ")+" first")
	}
	o.addSwitch(cmd, "self-repair-enabled", "allow self repair", o.selfRepair("enabled"))
	o.addSwitch(cmd, "self-repair-health", "allow self repair of health blockers", o.selfRepair("allow_health_blocker_repair"))
	o.addSwitch(cmd, "self-repair-waiting-projection", "allow self repair of a stale waiting projection", o.selfRepair("allow_waiting_projection_repair"))
	o.addSwitch(cmd, "spawn-allowed", "allow children", func(on bool) { w.SpawnAllowed = &on })
	complete(cmd, "execution-turn-granularity", list(func() []string { return words(g.settings("goal")["turn_granularity"]) }))
	complete(cmd, "waiting-on", list(func() []string { return words(g.settings("goal")["waiting_on"]) }))
	complete(cmd, "agent-model", list(func() []string { return words(g.settings("configure_goal")["agent_models"]) }))
	complete(cmd, "orchestration-mode", list(func() []string { return words(g.settings("configure_goal")["orchestration_modes"]) }))
}

// selfRepair sets one opt-in of control_plane.self_repair.
func (o *configureOptions) selfRepair(key string) func(bool) {
	return func(on bool) {
		if o.goal.SelfRepair == nil {
			o.goal.SelfRepair = map[string]bool{}
		}
		o.goal.SelfRepair[key] = on
	}
}

func (o *configureOptions) addSwitch(cmd *cobra.Command, name, what string, set func(bool)) {
	f := cmd.Flags()
	o.switches = append(o.switches, switchFlag{name, f.Bool(name, false, what), f.Bool("no-"+name, false, "do not "+what), set})
	cmd.MarkFlagsMutuallyExclusive(name, "no-"+name)
}

// finish turns flags into what was asked: a flag that was not given asks for nothing.
func (o *configureOptions) finish(cmd *cobra.Command) {
	for _, s := range o.switches {
		if cmd.Flags().Changed(s.name) {
			s.set(*s.on)
		}
		if cmd.Flags().Changed("no-" + s.name) {
			s.set(!*s.off)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.clears)) {
		if *o.clears[name] {
			o.goal.Clear = append(o.goal.Clear, name)
		}
	}
	for _, name := range []string{"scope", "source", "decision-id", "recorded-at", "expires-at"} {
		if cmd.Flags().Changed("boundary-authority-" + name) {
			o.goal.Authority = &o.authority
		}
	}
	o.authority.RecordedNS, o.authority.ExpiresNS = instantOf(o.authority.RecordedAt), instantOf(o.authority.ExpiresAt)
}

func newRegisterAgent(g *globals) *cobra.Command {
	o := g.newGoalOptions("register-agent", decide.EntryRegisterAgent)
	cmd := o.command(g, "register-agent", "Register agents of a goal",
		"Register agents of a goal in the registry that owns it. Agents that are registered already stay."+operatorNote,
		"  loopx register-agent --goal-id parser --agent-id codex-2\n  loopx register-agent --goal-id parser --agent-id codex-2,codex-3 --require-new --execute")
	f := cmd.Flags()
	f.StringArrayVar(&o.goal.Agents, "agent-id", nil, "`agent` to register; may be repeated or a list with commas (required)")
	f.BoolVar(&o.goal.RequireNew, "require-new", false, "refuse when an agent is registered already")
	return cmd
}

func newInit(g *globals) *cobra.Command {
	var init facts.InitWrite
	o := authorOptions{request: g.request("init"), entry: decide.EntryInit, writes: true}
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Make a project and its first goal",
		Long: `Make a project and its first goal, or add a goal to a project: one row in the registry and the goal's state file.
Nothing that exists is touched: a goal id, a state file or a shared registry that is taken is refused.`,
		Example: `  loopx init --goal-id parser --objective 'Ship the parser.'
  loopx init --goal-id parser --objective 'Ship the parser.' --project ~/src/parser --agent-id codex-1 --dry-run`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			g.setUp = true
			if g.registry == "" && init.Project != "" {
				g.registry = projectRegistry(init.Project)
			}
			o.write.Init = &init
			return o.run(g, cmd)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.request.GoalID, "goal-id", "", "`id` of the new goal, one path segment (required)")
	f.StringVar(&init.Objective, "objective", "", "what the goal is for, in one `sentence` (required)")
	f.StringVar(&init.Project, "project", "", "`directory` of the project (default the current one)")
	f.StringArrayVar(&init.Agents, "agent-id", nil, "`agent` to register; may be repeated or a list with commas")
	f.BoolVar(&init.NoGlobalSync, "no-global-sync", false, "leave the shared registry as it is")
	o.addModes(cmd)
	return cmd
}

// projectRegistry is the registry that a project owns.
func projectRegistry(project string) string { return filepath.Join(project, ".loopx", "registry.json") }
