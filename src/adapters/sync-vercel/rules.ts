/**
 * What Vercel takes: letters, digits and underscores, a letter first.
 */
import type { SyncRules } from '../../sys/sync/port.ts'

export const VERCEL_RULES: SyncRules = {
  maxNameLength: 256,
  // Of all variables of a deployment together, which the store judges itself.
  maxValueBytes: 65_536,
  granularityDefault: 'secret-key',
  tags: false,
  marks: true,
  normalizeName(raw) {
    const name = raw.replace(/[^A-Za-z0-9_]/gu, '_')
    return /^[A-Za-z]/.test(name) ? name : `ENV_${name}`
  },
  foldName: (name) => name,
}
