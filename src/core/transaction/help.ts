/**
 * `help=1` describes the operations at a path and below it, for any verb, as in Vault.
 */
import { KernelError } from '../base/errors.ts'
import { checkCaptures } from '../contract/captures.ts'
import { openApi } from '../contract/openapi.ts'
import { type AnyOperation, type AnySingle, type Operations, operation } from '../contract/operation.ts'
import { capturesBefore } from '../contract/path-templates.ts'
import type { Tx } from '../contract/tx.ts'
import { PathPattern } from '../field/path-pattern.ts'
import { helpText } from './help-text.ts'

/** Requests with the parameter `help` are routed with this verb, whatever their own verb is. No HTTP client sends it. */
export const HELP = 'HELP'

export interface HelpScope {
  /** The operations exactly at the path. */
  readonly here: Operations
  /** The operations at the path and below it. */
  readonly all: Operations
}

/** @param segments The path below the mount, split at slashes; the mount itself is one empty segment. */
export function helpScope(operations: Operations, segments: readonly string[]): HelpScope {
  const root = segments.length === 1 && segments[0] === ''
  const entries = Object.entries(operations)
  const leads = (op: AnyOperation, captures: Readonly<Record<string, string>> | undefined): boolean =>
    captures !== undefined && isPath(op, captures)
  const here = entries.filter(([, op]) => leads(op, PathPattern.of(op.path).match(segments)))
  const at = new Set(here.map(([name]) => name))
  const all = root ? entries : entries.filter(([name, op]) => at.has(name) || leads(op, capturesBefore(op.path, segments)))
  return { here: Object.fromEntries(here), all: Object.fromEntries(all) }
}

/**
 * Whether the values that the path template has captured are valid for the operation. If they are not, the operation does not exist at the
 * path.
 */
function isPath(operation: AnyOperation, captures: Readonly<Record<string, string>>): boolean {
  try {
    checkCaptures(operation, captures)
  } catch (error) {
    if (error instanceof KernelError) return false
    throw error
  }
  return true
}

/** Help is an ordinary operation, so it is authorized, audited and counted like any other operation. */
export function helpOperation(operations: Operations): AnySingle {
  return operation({
    kind: 'read',
    verb: 'GET',
    path: '/',
    summary: 'Lists the operations at a path and below it.',
    fields: {},
    returns: {},
    wire: (help) => ({ bare: help }),
    run: (tx) => helpAt(tx, operations),
  })
}

function helpAt({ call, env }: Tx, operations: Operations): Readonly<Record<string, unknown>> {
  const { mount, path } = call
  const below = path.slice(mount.path.length)
  const { here, all } = helpScope(operations, below.split('/'))
  const part = { mount: mount.path, type: mount.type, operations: all }
  return {
    help: helpText(path, mount, here, all),
    see_also: null,
    openapi: openApi([part], { headerPrefix: env.headerPrefix, below: mount.path }),
  }
}
