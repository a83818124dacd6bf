/** How a proxy detects unhealthy instances from their responses. */
import { int, keepZero, nanoseconds, notNegative, record, uint32 } from '../members/index.ts'

const percentage = () => keepZero(uint32({ most: 100 }))

export const PASSIVE_HEALTH_CHECK = record({
  Interval: nanoseconds({ rule: notNegative }),
  MaxFailures: uint32(),
  EnforcingConsecutive5xx: percentage(),
  MaxEjectionPercent: percentage(),
  BaseEjectionTime: keepZero(nanoseconds({ rule: notNegative })),
})

/** 0 is a valid limit and does not count as absent. */
const limit = () => keepZero(int({ least: 0 }))

export const UPSTREAM_LIMITS = record({
  MaxConnections: limit(),
  MaxPendingRequests: limit(),
  MaxConcurrentRequests: limit(),
})
