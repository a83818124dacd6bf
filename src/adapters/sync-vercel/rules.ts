/** Limits of Vercel: letters, digits and underscores, beginning with a letter. */
import type { SyncRules } from '../../sys/sync/port.ts'

export const VERCEL_RULES: SyncRules = {
  maxNameLength: 256,
  // Vercel limits all variables of a deployment together to this size, and checks that itself.
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
