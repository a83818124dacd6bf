/** Copies of what a caller has passed, for calls that cannot run before the call returns. The caller may change its own objects then. */
import type { Clock } from '../base/clock.ts'
import { Slices } from '../base/slices.ts'
import type { Steps } from '../base/steps.ts'
import type { KernelRequest } from '../contract/request.ts'

/** The maximum number of values in an argument that is copied. No method that needs copies accepts more. */
const MAX_VALUES = 262_144

/** The number of values that are copied between two yields. */
const SLICE_VALUES = 4096

/**
 * Copies an argument of a typed method: its plain objects, arrays and byte arrays. Other objects remain the caller's. The first 4,096 values
 * are copied before the function returns, the others in later slices; an argument with more than 262,144 values is not copied.
 */
export function ownArgument(argument: unknown, clock: Clock): Promise<unknown> {
  return new Slices(clock).drive(copied(argument)).catch(() => argument)
}

/** Copies the body of a request. */
export async function ownRequest(request: KernelRequest, clock: Clock): Promise<KernelRequest> {
  // The function that answers the request refuses a request that is not an object.
  if (typeof request !== 'object' || request === null) return request
  try {
    const { body } = request
    return { ...request, body: body instanceof Uint8Array ? body.slice() : await ownArgument(body, clock) }
  } catch {
    // It also refuses a request whose members cannot be read.
    return request
  }
}

type Container = unknown[] | Record<string, unknown>

/** @throws RangeError if the value contains too many values */
function* copied(value: unknown): Steps<unknown> {
  const pending: (readonly [Container, Container])[] = []
  const copyOf = (member: unknown): unknown => {
    if (member instanceof Uint8Array) return new Uint8Array(member)
    if (Array.isArray(member)) return begun(member, [])
    if (isPlain(member)) return begun(member, Object.create(Object.getPrototypeOf(member)))
    return member
  }
  const begun = (source: Container, copy: Container): Container => {
    pending.push([source, copy])
    return copy
  }
  const copy = copyOf(value)
  let count = 0
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [source, target] = next as readonly [Record<string, unknown>, Record<string, unknown>]
    if (Array.isArray(source) && source.length > MAX_VALUES) throw new RangeError('too many values')
    const names = Array.isArray(source) ? source.keys() : Object.keys(source)
    for (const name of names) {
      if (++count > MAX_VALUES) throw new RangeError('too many values')
      define(target, String(name), copyOf(source[name]))
      if (count % SLICE_VALUES === 0) yield
    }
  }
  return copy
}

/** Also defines the name `__proto__`, which an assignment would not define. */
function define(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true })
  else target[name] = value
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
