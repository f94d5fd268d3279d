package history

import (
	"fmt"
	"time"

	"github.com/loopx-dev/loopx-policy/engine/facts"
)

// Settings is data.loopx.settings.history.
type Settings struct {
	Ledger struct {
		Spend []string `json:"spend"`
		Void  []string `json:"void"`
	} `json:"ledger"`
	StatusNeutral           []string `json:"status_neutral"`
	AgentLaneScope          string   `json:"agent_lane_scope"`
	Neutral                 []string `json:"neutral"`
	Poll                    []string `json:"poll"`
	Refresh                 string   `json:"refresh"`
	Outcomes                []string `json:"outcomes"`
	FollowThrough           []string `json:"follow_through"`
	DecisionClassifications []string `json:"decision_classifications"`
	DecisionPrefixes        []string `json:"decision_prefixes"`
	// DecisionKinds name a checkpointed decision by the part of the row that holds it.
	DecisionKinds struct {
		Reward         string `json:"reward"`
		Gate           string `json:"gate"`
		Resume         string `json:"resume"`
		Classification string `json:"classification"`
	} `json:"decision_kinds"`
	HorizonHours     int64 `json:"horizon_hours"`
	MarginHours      int64 `json:"margin_hours"`
	LookbackDays     int64 `json:"lookback_days"`
	MaterialRows     int64 `json:"material_rows"`
	ClockSkewMinutes int64 `json:"clock_skew_minutes"`
	FreshnessDays    int64 `json:"freshness_days"`
}

// The names of the two ledger lists, LedgerRow.Kind.
const (
	kindSpend = "spend"
	kindVoid  = "void"
)

// Options says for whom and for when the index is read.
type Options struct {
	Now         time.Time
	GoalID      string // a row without goal_id is this goal's
	AgentID     string // the request's agent, normalised; empty for an unscoped call
	WindowHours int64  // the goal's effective quota window
	ProjectRoot string // artifact paths are tried against it first, then against the current directory
	Settings    Settings

	block, keep int // bytes of the first read and rows kept before some are dropped; tests vary them
}

// Result is what the index says about one goal.
type Result struct {
	Runs      []facts.Run
	StatusRun *facts.Run
	Ledger    facts.Ledger
	Decisions []facts.DecisionRow
	Findings  []facts.Finding
	// RowCount counts the goal's rows back to the oldest instant that a question of this request reaches.
	RowCount int
	// NextNS is the instant at which the next row that is still held back enters Runs, 0 when there is none.
	NextNS int64
	// LeavesNS is an instant before which no row leaves what is handed out or counted, 0 when none ever does.
	LeavesNS int64
}

// bounds are the instants of the stop rule, in nanoseconds since the epoch.
type bounds struct {
	now      int64
	visible  int64 // later rows are held back
	window   int64 // start of the quota window
	fresh    int64 // start of the freshness window
	inner    int64 // start of the longest window: rows from here on are all seen
	outer    int64 // reading goes on at least to here
	lookback int64
	margin   int64
	material int
}

// maxHours keeps every instant within 64 bits of nanoseconds.
const maxHours = 1_000_000

func (o *Options) bounds() (bounds, error) {
	s := &o.Settings
	for _, setting := range []struct {
		name  string
		value int64
	}{
		{"horizon_hours", s.HorizonHours},
		{"margin_hours", s.MarginHours},
		{"lookback_days", s.LookbackDays},
		{"material_rows", s.MaterialRows},
		{"freshness_days", s.FreshnessDays},
	} {
		if setting.value < 1 {
			return bounds{}, fmt.Errorf("settings.history.%s is %d, want at least 1", setting.name, setting.value)
		}
	}
	if s.ClockSkewMinutes < 0 {
		return bounds{}, fmt.Errorf("settings.history.clock_skew_minutes is %d, want at least 0", s.ClockSkewMinutes)
	}
	if o.WindowHours < 1 {
		return bounds{}, fmt.Errorf("window of goal %q is %d hours, want at least 1", o.GoalID, o.WindowHours)
	}
	window, margin := hours(o.WindowHours), hours(s.MarginHours)
	inner := max(window, hours(24*min(s.FreshnessDays, maxHours)), hours(s.HorizonHours)-margin)
	now := o.Now.UnixNano()
	return bounds{
		now:      now,
		visible:  now + min(s.ClockSkewMinutes, 60*maxHours)*int64(time.Minute),
		window:   now - window,
		fresh:    now - hours(24*min(s.FreshnessDays, maxHours)),
		inner:    now - inner,
		outer:    now - inner - margin,
		lookback: now - hours(24*min(s.LookbackDays, maxHours)),
		margin:   margin,
		material: int(min(s.MaterialRows, 1<<30)),
	}, nil
}

// hours in nanoseconds, cut to maxHours.
func hours(n int64) int64 { return min(n, maxHours) * int64(time.Hour) }
