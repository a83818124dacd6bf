/**
 * Describes a call by path for a tracer.
 */
import type { KernelRequest, KernelResponse } from '../contract/request.ts'
import type { TracedRequest } from '../contract/tracer.ts'
import { withoutQuery } from './path.ts'

/** A member of the request may have any type or be a getter. Only a string is described, and a getter is not called. */
export function tracedRequest(request: KernelRequest): TracedRequest {
  const text = (name: 'method' | 'path'): string => {
    const value: unknown = Object.getOwnPropertyDescriptor(request ?? {}, name)?.value
    return typeof value === 'string' ? value : ''
  }
  return { view: 'path', verb: text('method'), path: withoutQuery(text('path')) }
}

export const noteStatus = ({ status }: KernelResponse, about: TracedRequest): void => {
  about.status = status
}
