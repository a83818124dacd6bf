/**
 * The kernel's ports and seals with bounded calls: each call has a deadline, and each answer is checked for its type. They are made
 * when a kernel is assembled and are the only access to a port.
 */
import { type Deadline, NoAnswer } from '../base/deadline.ts'
import { KernelError } from '../base/errors.ts'
import { isPortMap, isPortObject, type PortRules, type Ports } from '../contract/ports.ts'
import { type AnySeal, isAutomatic, type Seal } from '../seal/seal.ts'

type Method = (...args: unknown[]) => unknown

/** Audit sinks are bounded where they are opened and written to. */
export function boundPorts(ports: Ports, known: Readonly<Record<string, PortRules>>, deadline: Deadline): Ports {
  const bound = Object.entries(known).flatMap(([name, methods]) => {
    if (isPortMap(methods) || isPortObject(methods)) return []
    const port = ports[name as keyof Ports] as unknown as Readonly<Record<string, Method>> | undefined
    if (!port) return []
    const calls = Object.entries(methods).map(([method, { signalAt, answers, late }]) => {
      const what = `ports.${name}.${method}`
      const call = async (...args: unknown[]): Promise<unknown> => {
        const answer = await deadline.ask({
          what,
          ask: (signal) => (port[method] as Method).apply(port, withSignal(args, signalAt, signal)),
          late,
        })
        if (!answers(answer)) throw new TypeError(`${what} resolved something else than it promises`)
        return answer
      }
      return [method, call] as const
    })
    return [[name, Object.fromEntries(calls)] as const]
  })
  return { ...ports, ...Object.fromEntries(bound) }
}

/** Each call gets a separate signal, even where its caller passes only the signal of the close. */
function withSignal(args: readonly unknown[], at: number, signal: AbortSignal): unknown[] {
  const all = Array.from({ length: at }, (_, index) => args[index])
  return [...all, signal]
}

/** A late automatic seal means unavailable (503); a failing one is the failure of a third party (502). */
export function boundSeal(seal: AnySeal, deadline: Deadline): AnySeal {
  if (!isAutomatic(seal)) return seal
  const ask = (method: 'wrap' | 'unwrap', bytes: Uint8Array): Promise<Uint8Array> =>
    answered(seal, method, () =>
      deadline.ask({
        what: `seal.${method}`,
        ask: (signal) => seal[method](bytes, signal),
        // A late key is wiped, because nobody waits for it any more.
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
  throw failure(seal, new TypeError(`its ${method} resolved something that is not bytes`))
}

const failure = ({ type }: Seal, cause: unknown): KernelError =>
  cause instanceof KernelError
    ? cause
    : new KernelError('ERR_UPSTREAM', `the seal of type ${type.slice(0, 100)} failed: the error is the cause`, { cause })
