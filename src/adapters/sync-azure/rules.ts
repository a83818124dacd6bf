/** Limits of Azure Key Vault. */
import type { SyncRules } from '../../sys/sync/port.ts'

export const AZURE_RULES: SyncRules = {
  maxNameLength: 127,
  maxValueBytes: 25_600,
  granularityDefault: 'secret-path',
  tags: true,
  normalizeName: (raw) => raw.replace(/[^0-9A-Za-z-]/gu, '-'),
  foldName: (name) => name.toLowerCase(),
}
