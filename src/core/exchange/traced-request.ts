/**
 * Describes a call by path for a tracer.
 */
import type { AnyOperation, Operations } from '../contract/operation.ts'
import type { KernelRequest, KernelResponse } from '../contract/request.ts'
import type { TracedRequest } from '../contract/tracer.ts'
import { withoutQuery } from './path.ts'

/** A member of the request may have any type or be a getter. Only a string is described, and a getter is not called. */
export function tracedRequest(request: KernelRequest, known: Pick<TracedRequest, 'kernel' | 'engine'>): TracedRequest {
  const text = (name: 'method' | 'path'): string => {
    const value: unknown = Object.getOwnPropertyDescriptor(request ?? {}, name)?.value
    return typeof value === 'string' ? value : ''
  }
  return { view: 'path', verb: text('method'), path: withoutQuery(text('path')), ...known }
}

export const noteStatus = ({ status }: KernelResponse, about: TracedRequest): void => {
  about.status = status
}

/** The names of operations, by the object that has them. */
const names = new WeakMap<Operations, ReadonlyMap<AnyOperation, string>>()

/** Adds the engine and the operation of a resolved path. */
export function noteOperation(
  about: TracedRequest,
  { type, operations }: { readonly type: string; readonly operations: Operations },
  operation: AnyOperation | undefined,
): void {
  about.engine = type
  if (!operation) return
  const known = names.get(operations) ?? new Map(Object.entries(operations).map(([name, named]) => [named, name]))
  names.set(operations, known)
  const name = known.get(operation)
  if (name !== undefined) about.operation = name
}
