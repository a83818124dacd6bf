/**
 * Computes when a schedule fires, with cron-parser. The package is loaded when the first role with a schedule is written or rotated, because
 * loading it takes about 20 ms, and most roles have a period.
 */
import { DeferredCode } from '../../../core/base/deferred-code.ts'
import type { CronField, CronSchedule } from './schedule.ts'

export const CRON_PARSER = /* @__PURE__ */ new DeferredCode('rotation schedules', () => import('cron-parser'))

/**
 * Returns the first matching minute after `after`. Both times are milliseconds since the Unix epoch.
 * @throws CodeNotLoadedError before cron-parser is loaded
 */
export function nextFiring({ minute, hour, day, month, dayOfWeek }: CronSchedule, after: number): number {
  const text = [minute, hour, day, month, dayOfWeek].map(plainField).join(' ')
  // The search ends, because parseSchedule refuses schedules that never fire. The longest gap is eight years: from 29 February 2096 to 2104.
  return CRON_PARSER.code.CronExpressionParser.parse(text, { tz: 'UTC', currentDate: after }).next().getTime()
}

/**
 * Writes a field so that cron-parser reads it as Vault does. Other spellings of the same field differ: cron-parser refuses lists with
 * repeated values, and a star with the step 1 restricts the days there, but not in Vault.
 */
const plainField = ({ values, unrestricted }: CronField): string => (unrestricted ? '*' : values.join(','))
