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
import { type Route, unknownRoute } from './route-table.ts'

interface HelpScope {
  /** The operations exactly at the path. */
  readonly here: Operations
  /** The operations at the path and below it. */
  readonly all: Operations
}

/** @param segments The path below the mount, split at slashes; the mount itself is one empty segment. */
function helpScope(operations: Operations, segments: readonly string[]): HelpScope {
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

const operationsOfHelp = new WeakMap<Operations, AnySingle>()

/**
 * Returns the route of a help request. Help exists for the paths of operations and for the levels above these paths. It needs no token if
 * at least one operation at the path needs none.
 */
export function helpRoute(operations: Operations, segments: readonly string[]): Route {
  const { here, all } = helpScope(operations, segments)
  if (Object.keys(all).length === 0) return unknownRoute()
  const known = operationsOfHelp.get(operations) ?? helpOperation(operations)
  operationsOfHelp.set(operations, known)
  return { operation: known, captures: {}, unauthenticated: Object.values(here).some(({ unauthenticated }) => unauthenticated) }
}

/** Help is an ordinary operation, so it is authorized, audited and counted like any other operation. */
function helpOperation(operations: Operations): AnySingle {
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

function helpAt(tx: Tx, operations: Operations): Readonly<Record<string, unknown>> {
  const { mount, path } = tx.call
  const below = path.slice(mount.path.length)
  const { here, all } = helpScope(operations, below.split('/'))
  const part = { mount: mount.path, type: mount.type, operations: all }
  const options = { headerPrefix: tx.env.headerPrefix, below: mount.path }
  return {
    help: helpText(path, mount, here, all),
    see_also: null,
    openapi: tx.steps('openapi', () => openApi([part], options), 'attempt'),
  }
}
