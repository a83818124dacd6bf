/** The journal row of a transaction: its changes, and the verdicts of its commits. */
import type { Change, Commit, Revision } from '../../core/storage/port.ts'
import { fromHex, journalKey } from './table.ts'
import type { DecidedCommits } from './verdict.ts'

export interface JournalRow {
  /** The key of a row is greater than the keys of all earlier rows. */
  readonly key: Buffer
  readonly changes: readonly Change[]
  readonly verdicts: readonly (readonly [id: string, verdict: Commit])[]
}

/**
 * The maximum total length of the listed keys of one commit, in characters. A larger commit is announced as "anything may have changed".
 */
const MAX_LISTED_KEYS = 256 * 1024

/** The stored form of a verdict: `[id, revision, assigned log indexes]`, or `[id, version, conflicting key]` for a conflict. */
type Written = readonly [id: string, number: Revision, rest?: readonly number[] | string]

interface Text {
  readonly changes: readonly (readonly [Revision, readonly string[] | null])[]
  readonly verdicts: readonly Written[]
}

function writeVerdict(id: string, verdict: Commit): Written {
  if (!verdict.ok) return [id, verdict.version, verdict.conflict]
  return verdict.appended.length === 0 ? [id, verdict.revision] : [id, verdict.revision, verdict.appended]
}

const readVerdict = ([id, number, rest]: Written): readonly [string, Commit] =>
  typeof rest === 'string'
    ? [id, { ok: false, conflict: rest, version: number }]
    : [id, { ok: true, revision: number, appended: rest ?? [] }]

export const journalRowOf = ({ revision, count, changes, remembered }: DecidedCommits): JournalRow => ({
  key: journalKey(revision, count),
  changes,
  verdicts: remembered,
})

export function journalText({ changes, verdicts }: JournalRow): Buffer {
  const size = (keys: readonly string[] | null): number => keys?.reduce((sum, key) => sum + key.length, 0) ?? 0
  const text: Text = {
    changes: changes.map(({ revision, keys }) => [revision, size(keys) > MAX_LISTED_KEYS ? null : keys]),
    verdicts: verdicts.map(([id, verdict]) => writeVerdict(id, verdict)),
  }
  return Buffer.from(JSON.stringify(text))
}

export function readJournalRow(row: Readonly<Record<string, unknown>>): JournalRow {
  const { changes, verdicts } = JSON.parse(fromHex(row['v']).toString('utf8')) as Text
  return {
    key: fromHex(row['k']),
    changes: changes.map(([revision, keys]) => ({ revision, keys })),
    verdicts: verdicts.map(readVerdict),
  }
}
