/** Limits of Google Secret Manager. */
import type { SyncRules } from '../../sys/sync/port.ts'

export const GOOGLE_RULES: SyncRules = {
  maxNameLength: 255,
  maxValueBytes: 65_536,
  granularityDefault: 'secret-path',
  tags: true,
  normalizeName: (raw) => raw.replace(/[^A-Za-z0-9_-]/gu, '-'),
  foldName: (name) => name,
}

/** Converts a tag to the key of a label. Labels are in lower case, and their keys begin with a letter. */
export const labelKey = (tag: string): string => labelText(tag).replace(/^(?=[^a-z]|$)/, 'x')
const labelText = (text: string): string => text.toLowerCase().replace(/[^a-z0-9_-]/gu, '_')

export const labelsOf = (tags: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(tags).map(([key, value]) => [labelKey(key), labelText(value)]))
