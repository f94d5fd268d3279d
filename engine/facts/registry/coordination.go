package registry

import (
	"regexp"
	"slices"
	"strings"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/isotime"
	"github.com/loopx-dev/loopx-policy/engine/facts/jsontree"
)

var agentToken = regexp.MustCompile(`^[a-z][a-z0-9_.:@-]{0,79}$`)

// AgentToken gives the normal form of an agent id, or "" when it has none (decision.md agent.token).
func AgentToken(id string) string {
	id = strings.ReplaceAll(strings.ToLower(strings.TrimSpace(id)), " ", "-")
	if !agentToken.MatchString(id) {
		return ""
	}
	return id
}

// coordination reads the roster and what belongs to its agents (state-files.md 2.5).
func (r *row) coordination() {
	g := &r.goal.Goal
	n := r.object(r.node, "coordination", "coordination")
	spawn := r.object(r.node, "spawn_policy", "spawn_policy")
	agents := []string{}
	for _, place := range []struct {
		parent *jsontree.Node
		path   string
	}{
		{n, "coordination.registered_agents"},
		{r.node, "registered_agents"},
		{spawn, "spawn_policy.registered_agents"},
	} {
		agents = append(agents, r.agents(place.parent, place.path)...)
	}
	slices.Sort(agents)
	g.Agents = slices.Compact(agents)
	g.AgentModel = r.text(n, "agent_model", "coordination.agent_model")
	g.WorkModes = map[string]string{}
	if modes := r.object(n, "agent_work_modes", "coordination.agent_work_modes"); modes != nil {
		for i := range modes.Members {
			if agent := AgentToken(modes.Members[i].Key); agent != "" && modes.Members[i].Value.Kind == jsontree.String {
				g.WorkModes[agent] = modes.Members[i].Value.Text
			}
		}
	}
	profiles := profileNodes(child(n, "agent_profiles"))
	for _, p := range profiles {
		if profile, ok := agentProfile(p); ok {
			g.Profiles = append(g.Profiles, profile)
		}
	}
	g.LegacyHierarchy = legacyHierarchy(n, profiles)
	migration := n.Get("completed_migrations").Get("peer_agent_runtime_v1")
	g.MigrationAcknowledged = textOf(migration.Get("status")) == "completed"
	if spawn != nil {
		g.Spawn = &facts.Spawn{
			Mode:           r.text(spawn, "mode", "spawn_policy.mode"),
			Allowed:        isTrue(spawn, "allowed"),
			AllowedDomains: r.list(spawn, "allowed_domains", "spawn_policy.allowed_domains"),
		}
		if most, ok := wholeNumber(spawn.Get("max_children")); ok && most >= 0 {
			g.Spawn.MaxChildren = most
		}
	}
}

// agents reads a list of ids, or of objects with an id. Ids that have no normal form are dropped.
func (r *row) agents(parent *jsontree.Node, path string) []string {
	n := child(parent, "registered_agents")
	if n == nil {
		return nil
	}
	if n.Kind != jsontree.Array {
		r.invalid(n, path, "a list of agent ids")
		return nil
	}
	out := make([]string, 0, len(n.Items))
	for _, item := range n.Items {
		id := textOf(item)
		for _, key := range []string{"id", "agent_id", "name"} {
			if id == "" {
				id = textOf(item.Get(key))
			}
		}
		if id = AgentToken(id); id != "" {
			out = append(out, id)
		}
	}
	return out
}

// profileNode is one entry of agent_profiles with the id it stands under.
type profileNode struct {
	agent string
	node  *jsontree.Node
}

func profileNodes(n *jsontree.Node) []profileNode {
	out := []profileNode{}
	if n == nil {
		return out
	}
	for i := range n.Members {
		out = append(out, profileNode{n.Members[i].Key, n.Members[i].Value})
	}
	for _, item := range n.Items {
		out = append(out, profileNode{textOf(item.Get("agent_id")), item})
	}
	return out
}

// agentProfile reads an advisory profile; a bad one is left out.
func agentProfile(p profileNode) (facts.AgentProfile, bool) {
	agent := AgentToken(p.agent)
	if own := textOf(p.node.Get("agent_id")); own != "" && AgentToken(own) != agent {
		return facts.AgentProfile{}, false
	}
	if agent == "" || p.node.Kind != jsontree.Object {
		return facts.AgentProfile{}, false
	}
	preferred, avoid := texts(p.node, "preferred_action_kinds"), texts(p.node, "avoid_action_kinds")
	if len(preferred) > 16 || len(avoid) > 16 {
		return facts.AgentProfile{}, false
	}
	return facts.AgentProfile{
		AgentID:              agent,
		PreferredActionKinds: preferred,
		AvoidActionKinds:     avoid,
		VisionRequirement:    textOf(p.node.Get("vision_requirement")),
		DefaultTaskClasses:   optional(texts(p.node, "default_task_classes")),
	}, true
}

// legacyHierarchy finds fields of the v0.1 model with one main agent and side agents (state-files.md 2.5).
func legacyHierarchy(n *jsontree.Node, profiles []profileNode) bool {
	if textOf(n.Get("primary_agent")) != "" || textOf(n.Get("side_agent_handoff_agent")) != "" ||
		textOf(n.Get("agent_model")) == "legacy_hierarchy" {
		return true
	}
	return slices.ContainsFunc(profiles, func(p profileNode) bool {
		return textOf(p.node.Get("schema_version")) == "agent_profile_v0" || p.node.Get("role") != nil ||
			isTrue(p.node, "primary_agent")
	})
}

// boundary reads write scopes, approvals, capabilities and the authority that widens them.
func (r *row) boundary() {
	g, top := &r.goal.Goal, r.node
	n := child(top, "coordination")
	if n != nil && n.Kind != jsontree.Object {
		n = nil // reported by coordination
	}
	g.WriteScope = scopes(r.list(n, "write_scope", "coordination.write_scope"))
	g.ParentApproval = r.list(n, "requires_parent_approval", "coordination.requires_parent_approval")
	g.Capabilities = append(r.list(top, "available_capabilities", "available_capabilities"),
		r.list(n, "available_capabilities", "coordination.available_capabilities")...)
	g.Guards = r.sentences(top, "guards", "guards")
	g.NextProbe = r.text(top, "next_probe", "next_probe")
	authority := child(n, "checkpointed_boundary_authority")
	g.BoundaryAuthority = []facts.Authority{}
	if authority != nil {
		entries := authority.Items
		if authority.Kind == jsontree.Object {
			if list := child(authority, "entries"); list != nil {
				entries = list.Items
			} else {
				g.BoundaryAuthorityScope = optional(scopes(r.list(authority, "active_write_scope",
					"coordination.checkpointed_boundary_authority.active_write_scope")))
			}
		}
		for _, entry := range entries {
			if entry.Kind == jsontree.Object {
				g.BoundaryAuthority = append(g.BoundaryAuthority, authorityEntry(entry))
			}
		}
	}
	g.HasBoundary = len(g.WriteScope)+len(g.ParentApproval)+len(g.Capabilities)+len(g.Guards) > 0 ||
		g.NextProbe != "" || authority != nil
}

func authorityEntry(n *jsontree.Node) facts.Authority {
	a := facts.Authority{
		SchemaVersion: textOf(n.Get("schema_version")),
		Status:        textOf(n.Get("status")),
		Decision:      textOf(n.Get("decision")),
		Source:        firstText(n, "source", "provenance", "reason_summary"),
		RecordedAt:    firstText(n, "recorded_at", "decision_at"),
		ExpiresAt:     firstText(n, "expires_at", "fresh_until"),
		DecisionID:    firstText(n, "decision_id", "run_id", "gate_id"),
		WriteScope:    []string{},
	}
	a.RecordedNS, _ = isotime.ParseNS(a.RecordedAt)
	a.ExpiresNS, _ = isotime.ParseNS(a.ExpiresAt)
	for _, key := range []string{"write_scope", "write_scopes", "scope", "scopes"} {
		if list := child(n, key); list != nil {
			if list.Kind == jsontree.String {
				a.WriteScope = scopes(splitList(list.Text))
			} else {
				a.WriteScope = scopes(texts(n, key))
			}
			break
		}
	}
	return a
}

func firstText(n *jsontree.Node, keys ...string) string {
	for _, key := range keys {
		if text := strings.TrimSpace(textOf(n.Get(key))); text != "" {
			return text
		}
	}
	return ""
}

// scopes keeps relative globs that stay inside the project, each once (decision.md boundary.scope_norm).
func scopes(list []string) []string {
	out := []string{}
	for _, scope := range list {
		scope = strings.TrimSpace(scope)
		if scope == "" || len(scope) > 160 || scope[0] == '/' || scope[0] == '~' || strings.ContainsAny(scope, " \t\r\n<>") ||
			slices.Contains(strings.Split(scope, "/"), "..") || slices.Contains(out, scope) {
			continue
		}
		out = append(out, scope)
	}
	return out
}
