package proxy_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/proxy"
)

// A stored kind can be had back.
func TestKindIsText(t *testing.T) {
	seen := make(map[string]bool)
	for k := proxy.KindUnknown; k <= proxy.KindDrift; k++ {
		b, err := json.Marshal(k)
		require.NoError(t, err)
		assert.False(t, seen[string(b)], "%s names two kinds", b)
		seen[string(b)] = true
		back := proxy.KindUnknown
		require.NoError(t, json.Unmarshal(b, &back))
		assert.Equal(t, k, back)
	}
	k := proxy.KindQuota
	require.Error(t, json.Unmarshal([]byte(`"nonsense"`), &k))
	assert.Equal(t, proxy.KindQuota, k, "it stays as it was")
}
