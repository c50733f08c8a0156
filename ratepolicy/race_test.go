//go:build race

package ratepolicy_test

const raceDetector = true
