//go:build !race

package ratepolicy_test

const raceDetector = false
