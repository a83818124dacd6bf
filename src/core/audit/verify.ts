/** Verifies that no entry of an audit log was removed, changed, moved or cut off. */
import { toUtf8 } from '../base/bytes.ts'
import type { MacKey } from '../crypto/backend.ts'
import { equalBytes } from '../crypto/equal.ts'
import type { ChainHead } from './chain.ts'
import { type AuditLines, linesOf, type ReadLink, readLink } from './lines.ts'
import { base64urlOf } from './mac-text.ts'

/**
 * `unreadable`: the line is not an entry. `changed`: the MAC of the entry is wrong, or another store wrote the entry. `missing`: entries
 * before this entry are absent. `moved`: the entry follows a later entry, or occurs twice. `cut off`: the last entries of a chain, or all
 * its entries, are absent.
 */
export type AuditProblemKind = 'unreadable' | 'changed' | 'missing' | 'moved' | 'cut off'

export interface AuditProblem {
  readonly kind: AuditProblemKind
  /** The number of the line, beginning with 1. Undefined for entries that are cut off. */
  readonly line: number | undefined
  /**
   * The id of the chain, and the number of the entry in the chain. If entries are missing or cut off, the number of the last entry before
   * the gap.
   */
  readonly chain: string | undefined
  readonly number: number | undefined
  /** A sentence that describes the problem. */
  readonly message: string
}

export interface AuditVerdict {
  /** Whether the log has no problems. */
  readonly ok: boolean
  /** The number of entries whose MAC is valid. */
  readonly entries: number
  /** The first 1,000 problems. `more` is true if there are more. */
  readonly problems: readonly AuditProblem[]
  readonly more: boolean
}

interface VerifyParts {
  readonly key: MacKey
  /** The known last entries, keyed by the id of the chain. */
  readonly heads: ReadonlyMap<string, ChainHead>
  readonly lines: AuditLines
  /** Whether another file may contain whole chains or the beginnings of chains. */
  readonly partial: boolean
}

const MAX_PROBLEMS = 1000

const ROTATED = 'if the log is rotated, pass the older files first or set partial: true'

export async function verifyLines({ key, heads, lines, partial }: VerifyParts): Promise<AuditVerdict> {
  const problems: AuditProblem[] = []
  let found = 0
  const say = (problem: AuditProblem): void => {
    if (found++ < MAX_PROBLEMS) problems.push(problem)
  }
  const chains = new Map<string, ReadLink>()
  let entries = 0
  for await (const { at, line } of linesOf(lines)) {
    const link = readLink(line)
    if (!link) {
      say({
        kind: 'unreadable',
        line: at,
        chain: undefined,
        number: undefined,
        message: `line ${at} is not an entry of an audit log`,
      })
      continue
    }
    const before = chains.get(link.id)
    const problem = hasValidMac(key, link) ? problemOf(link, before, partial) : 'changed'
    if (problem !== undefined) say(describeProblem(problem, at, link, before))
    if (problem !== 'changed') entries++
    // Continue from this entry even if it was changed: the next entry refers to it, so the change is reported only once.
    if (!before || link.number > before.number) chains.set(link.id, link)
  }
  for (const [id, head] of heads) {
    const last = chains.get(id)
    const number = last?.number ?? 0
    if (head.number <= number || (!last && partial)) continue
    const message = last
      ? `chain ${id} ends with entry ${number}, but ${head.number} entries were written; if the log is rotated, also pass the newest file`
      : `chain ${id} is missing, but ${head.number} entries were written; ${ROTATED}`
    say({ kind: 'cut off', line: undefined, chain: id, number, message })
  }
  return { ok: found === 0, entries, problems, more: found > problems.length }
}

function hasValidMac(key: MacKey, { covered, mac }: ReadLink): boolean {
  return equalBytes(toUtf8(base64urlOf(key.mac(toUtf8(covered)))), toUtf8(mac))
}

/**
 * `previous` must be the MAC of the last entry that the sink stored. If the sink stored an entry only in part, the next entry has the same
 * `previous` as that entry, so this is accepted too.
 */
function problemOf(link: ReadLink, before: ReadLink | undefined, partial: boolean): AuditProblemKind | undefined {
  if (!before) return link.previous === '' || partial ? undefined : 'missing'
  if (link.number <= before.number) return 'moved'
  return link.previous === before.mac || link.previous === before.previous ? undefined : 'missing'
}

function describeProblem(
  kind: AuditProblemKind,
  line: number,
  { id, number }: ReadLink,
  before: ReadLink | undefined,
): AuditProblem {
  const entry = `entry ${number} of chain ${id}, in line ${line},`
  if (kind === 'changed') return { kind, line, chain: id, number, message: `${entry} was changed, or written by another store` }
  if (kind === 'moved')
    return { kind, line, chain: id, number, message: `${entry} comes after entry ${before?.number}, or occurs twice` }
  const last = before?.number ?? 0
  const missing = `entries of chain ${id} are missing before line ${line}: entry ${number} follows entry ${last}`
  const message = before ? missing : `${missing}; ${ROTATED}`
  return { kind, line, chain: id, number: last, message }
}
