/**
 * The methods of all ports, and that those which were given have them.
 */
import { checkAudit } from '../audit/sink.ts'
import type { Ports } from '../contract/ports.ts'

/** Ports that are one object with methods. */
export type SimplePort = Exclude<keyof Ports, 'audit'>

/** What is called, and what comes back. */
export interface PortMethod {
  /** Which parameter is the signal: the last one. */
  readonly signalAt: number
  /** Whether that is an answer at all. */
  readonly answers: (answer: unknown) => boolean
}

const isBytes = (answer: unknown): boolean => answer instanceof Uint8Array

const isBytesOrNothing = (answer: unknown): boolean => answer === undefined || isBytes(answer)

/** Whoever asks judges it. */
const isAnything = (): boolean => true

/** All methods of all of them: what is not here is never called. */
export const METHODS: {
  readonly [P in SimplePort]: { readonly [M in keyof Required<Ports>[P]]-?: PortMethod }
} = {
  managedKeys: {
    encrypt: { signalAt: 3, answers: isBytes },
    decrypt: { signalAt: 3, answers: isBytesOrNothing },
    sign: { signalAt: 3, answers: isBytes },
    verify: { signalAt: 4, answers: (answer) => typeof answer === 'boolean' },
    publicKey: { signalAt: 1, answers: isBytesOrNothing },
  },
  pgp: {
    encrypt: { signalAt: 3, answers: isBytes },
    fingerprint: { signalAt: 1, answers: (answer) => typeof answer === 'string' },
  },
  tokenReviewer: { review: { signalAt: 1, answers: isAnything } },
  localEnvironment: {
    caCert: { signalAt: 0, answers: isAnything },
    serviceAccountToken: { signalAt: 0, answers: isAnything },
  },
}

/** @throws TypeError for an unknown port, or one without all its methods. */
export function checkPorts(ports: Ports): void {
  if (typeof ports !== 'object' || ports === null) throw new TypeError('createKernel: ports must be an object')
  for (const name of Object.keys(ports)) {
    if (name === 'audit') continue
    if (!Object.hasOwn(METHODS, name)) throw new TypeError(`createKernel: unknown port ${name}`)
    const port = ports[name as keyof Ports] as unknown as Record<string, unknown> | undefined
    for (const method of Object.keys(METHODS[name as SimplePort]))
      if (port !== undefined && typeof port[method] !== 'function')
        throw new TypeError(`createKernel: ports.${name} has no method ${method}`)
  }
  if (ports.audit !== undefined) checkAudit(ports.audit)
}
