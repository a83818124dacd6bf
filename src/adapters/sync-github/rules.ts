/** Limits of GitHub Actions: letters, digits and underscores, not beginning with a digit or `GITHUB_`; names are stored in upper case. */
import type { SyncRules } from '../../sys/sync/port.ts'

const RESERVED = /^(?:$|[0-9]|GITHUB_)/

export const GITHUB_RULES: SyncRules = {
  maxNameLength: 255,
  maxValueBytes: 49_152,
  granularityDefault: 'secret-key',
  tags: false,
  normalizeName(raw) {
    const name = raw.replace(/[^A-Za-z0-9_]/gu, '_').toUpperCase()
    return RESERVED.test(name) ? `_${name}` : name
  },
  foldName: (name) => name.toUpperCase(),
}
