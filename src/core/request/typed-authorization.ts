/** Describes a typed call as the equivalent request, for policies and the audit log. */
import type { AnswerToAudit } from '../audit/answer-text.ts'
import type { RequestRecord } from '../audit/record-request.ts'
import { encodeBase64 } from '../base/base64.ts'
import type { NamespaceRecord } from '../contract/namespace.ts'
import type { AnyOperation } from '../contract/operation.ts'
import type { Values } from '../field/parse.ts'
import { PathPattern } from '../field/path-pattern.ts'
import { WideObject } from '../json/wide-object.ts'
import type { Mount } from '../mount/mount.ts'
import type { AuthorizationRequest } from './admission.ts'

/** An operation, with functions that convert a typed call of the operation to the equivalent request and response. */
export interface TypedForm<T> {
  readonly operation: AnyOperation
  /**
   * Returns the parameters that are not part of the path. @param ready Long parameters that have already been converted, with pauses for
   * the event loop.
   */
  readonly sent: (input: Values, captures: Readonly<Record<string, string>>, ready?: Values) => Values
  readonly answer: (value: T, input: Values) => AnswerToAudit
}

/** The path of a request, relative to its namespace. */
export const pathTo = ({ record }: Mount, below: string): string =>
  below === '' ? record.path.slice(0, -1) : record.path + below

export function typedAuthorizationRequest<T>(
  { operation, sent }: TypedForm<T>,
  input: Values,
  namespace: NamespaceRecord,
  mount: Mount,
  remoteAddress: string | undefined,
  record: RequestRecord | undefined,
): AuthorizationRequest {
  const captures: Record<string, string> = {}
  const below = PathPattern.of(operation.path).fill(input, captures)
  return {
    verb: operation.verb,
    namespace,
    path: pathTo(mount, below),
    trailingSlash: false,
    mount,
    operation,
    captures,
    parameters: () => wireForm(sent(input, captures)),
    wrapTtl: 0,
    remoteAddress,
    record,
  }
}

/**
 * Returns the parameters in the form that policies see: byte arrays are converted to base64. A `WideObject` contains no byte arrays, so it
 * is returned unchanged.
 */
const wireForm = (input: Values): Values =>
  input instanceof WideObject
    ? (input as unknown as Values)
    : Object.fromEntries(
        Object.entries(input)
          .filter(([, value]) => value !== undefined)
          .map(([name, value]) => [name, value instanceof Uint8Array ? encodeBase64(value) : value]),
      )
