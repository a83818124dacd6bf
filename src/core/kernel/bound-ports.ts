/**
 * Wraps ports and seals so that each call has a deadline and each result is type-checked. The kernel uses ports only through these
 * wrappers.
 */
import { type Deadline, NoAnswer } from '../base/deadline.ts'
import { KernelError } from '../base/errors.ts'
import { isPortMap, isPortObject, type PortRules, type Ports } from '../contract/ports.ts'
import { type AnySeal, isAutomatic, type Seal } from '../seal/seal.ts'

type Method = (...args: unknown[]) => unknown

/**
 * Returns the ports with a deadline for each call and a check of each result. Audit sinks are returned unchanged, because each audit device
 * limits the calls of its sink.
 */
export function boundPorts(ports: Ports, known: Readonly<Record<string, PortRules>>, deadline: Deadline): Ports {
  const bound = Object.entries(known).flatMap(([name, methods]) => {
    if (isPortMap(methods) || isPortObject(methods)) return []
    const port = ports[name as keyof Ports] as unknown as Readonly<Record<string, Method>> | undefined
    if (!port) return []
    const calls = Object.entries(methods).map(([method, { signalAt, answers, late }]) => {
      const what = `ports.${name}.${method}`
      const call = async (...args: unknown[]): Promise<unknown> => {
        const answer = await deadline.call({
          name: what,
          call: (signal) => (port[method] as Method).apply(port, withSignal(args, signalAt, signal)),
          late,
        })
        if (!answers(answer)) throw new TypeError(`${what}: resolved with a value of the wrong type`)
        return answer
      }
      return [method, call] as const
    })
    return [[name, Object.fromEntries(calls)] as const]
  })
  return { ...ports, ...Object.fromEntries(bound) }
}

/**
 * Returns the arguments with `signal` at the position `at`. It replaces the signal that the caller passed, because only `signal` is also
 * aborted at the deadline.
 */
function withSignal(args: readonly unknown[], at: number, signal: AbortSignal): unknown[] {
  const all = Array.from({ length: at }, (_, index) => args[index])
  return [...all, signal]
}

/**
 * Returns the seal with a deadline for each call. If an automatic seal does not answer in time, the error has status 503; if the seal
 * fails, status 502.
 */
export function boundSeal(seal: AnySeal, deadline: Deadline): AnySeal {
  if (!isAutomatic(seal)) return seal
  const ask = (method: 'wrap' | 'unwrap', bytes: Uint8Array): Promise<Uint8Array> =>
    answered(seal, method, () =>
      deadline.call({
        name: `seal.${method}`,
        call: (signal) => seal[method](bytes, signal),
        // No caller waits for a key that arrives late, so wipe it.
        late: (answer) => method === 'unwrap' && answer.fill(0),
      }),
    )
  return {
    type: seal.type,
    recoveryKeys: true,
    wrap: (bytes) => ask('wrap', bytes),
    unwrap: (wrapped) => ask('unwrap', wrapped),
    outdated(wrapped) {
      try {
        return seal.outdated?.(wrapped) ?? false
      } catch (cause) {
        throw failure(seal, cause)
      }
    },
  }
}

async function answered(seal: Seal, method: string, call: () => Promise<unknown>): Promise<Uint8Array> {
  let answer: unknown
  try {
    answer = await call()
  } catch (cause) {
    if (cause instanceof NoAnswer) throw new KernelError('ERR_UNAVAILABLE', `the seal did not ${method} in time`, { cause })
    throw failure(seal, cause)
  }
  if (answer instanceof Uint8Array) return answer
  throw failure(seal, new TypeError(`${method}: must resolve with a Uint8Array`))
}

const failure = ({ type }: Seal, cause: unknown): KernelError =>
  cause instanceof KernelError
    ? cause
    : new KernelError('ERR_UPSTREAM', `the seal of type ${type.slice(0, 100)} failed; see the cause of this error`, { cause })
