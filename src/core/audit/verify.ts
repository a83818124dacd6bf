/**
 * Verifies a log: no entry removed, changed, moved or cut off.
 */
import { toUtf8 } from '../base/bytes.ts'
import type { MacKey } from '../crypto/backend.ts'
import { equalBytes } from '../crypto/equal.ts'
import type { ChainHead } from './chain.ts'
import { type AuditLines, linesOf, type ReadLink, readLink } from './lines.ts'
import { base64urlOf } from './mac-text.ts'

/**
 * `unreadable`: the line is no entry. `changed`: its MAC is wrong, or it belongs to another store. `missing`: entries before it are absent.
 * `moved`: it stands after a later one, or for the second time. `cut off`: entries at the end of a chain, or all of it, are absent.
 */
export type AuditProblemKind = 'unreadable' | 'changed' | 'missing' | 'moved' | 'cut off'

export interface AuditProblem {
  readonly kind: AuditProblemKind
  /** Counted from 1; undefined for entries that are cut off. */
  readonly line: number | undefined
  /** The chain, and the number of the entry in it: the last present one, where others are missing or cut off. */
  readonly chain: string | undefined
  readonly number: number | undefined
  /** One sentence. */
  readonly message: string
}

export interface AuditVerdict {
  /** Whether there are no problems. */
  readonly ok: boolean
  /** How many entries are intact. */
  readonly entries: number
  /** At most 1,000; `more` says whether there are others. */
  readonly problems: readonly AuditProblem[]
  readonly more: boolean
}

export interface VerifyParts {
  readonly key: MacKey
  /** How far chains reach, where known. */
  readonly heads: ReadonlyMap<string, ChainHead>
  readonly lines: AuditLines
  /** Entries at the beginning of chains, or whole chains, may be in another file. */
  readonly partial: boolean
}

const MAX_PROBLEMS = 1000

const ROTATED = 'of a rotated log, read the older files first or set partial: true'

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
        message: `line ${at} is no entry of an audit log`,
      })
      continue
    }
    const before = chains.get(link.id)
    const problem = hasValidMac(key, link) ? problemOf(link, before, partial) : 'changed'
    if (problem !== undefined) say(describeProblem(problem, at, link, before))
    if (problem !== 'changed') entries++
    // A changed entry still says where it stood, so the problem is reported once.
    if (!before || link.number > before.number) chains.set(link.id, link)
  }
  for (const [id, head] of heads) {
    const last = chains.get(id)
    if (head.number <= (last?.number ?? 0) || (!last && partial)) continue
    const number = last?.number ?? 0
    const message = last
      ? `chain ${id} ends with entry ${number}, but ${head.number} were written; of a rotated log, read the newest file, too`
      : `chain ${id} is missing, but ${head.number} entries were written; ${ROTATED}`
    say({ kind: 'cut off', line: undefined, chain: id, number, message })
  }
  return { ok: found === 0, entries, problems, more: found > problems.length }
}

function hasValidMac(key: MacKey, { covered, mac }: ReadLink): boolean {
  return equalBytes(toUtf8(base64urlOf(key.mac(toUtf8(covered)))), toUtf8(mac))
}

/** An entry is linked to the last that a sink took; one that it took only in part may stand between. */
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
    return { kind, line, chain: id, number, message: `${entry} stands behind entry ${before?.number} or is there twice` }
  const last = before?.number ?? 0
  const missing = `entries of chain ${id} are missing before line ${line}: entry ${number} follows entry ${last}`
  const message = before ? missing : `${missing}; ${ROTATED}`
  return { kind, line, chain: id, number: last, message }
}
