/** Limits of AWS Secrets Manager. */
import type { SyncRules } from '../../sys/sync/port.ts'

export const AWS_RULES: SyncRules = {
  maxNameLength: 512,
  maxValueBytes: 65_536,
  granularityDefault: 'secret-path',
  tags: true,
  normalizeName: (raw) => raw.replace(/[^A-Za-z0-9/_+=.@-]/gu, '_'),
  foldName: (name) => name,
}
