/**
 * The methods of all ports that a kernel knows, and that those which were given have them.
 */
import { checkAudit } from '../audit/sink.ts'
import type { Engine } from '../contract/engine.ts'
import { isBytes, type Pgp, type PortMethods, type Ports, portMethods } from '../contract/ports.ts'

const PGP = /* @__PURE__ */ portMethods<Pgp>({
  encrypt: { signalAt: 3, answers: isBytes },
  fingerprint: { signalAt: 1, answers: (answer) => typeof answer === 'string' },
})

/** Of the core and of the engines, by the name of the port. */
export const portsOf = (engines: readonly Engine[]): Readonly<Record<string, PortMethods>> =>
  Object.assign({ pgp: PGP }, ...engines.map(({ ports }) => ports ?? {}))

/** @throws TypeError for an unknown port, or one without all its methods. */
export function checkPorts(ports: Ports, known: Readonly<Record<string, PortMethods>>): void {
  if (typeof ports !== 'object' || ports === null) throw new TypeError('createKernel: ports must be an object')
  for (const [name, given] of Object.entries(ports)) {
    if (name === 'audit' || given === undefined) continue
    const methods = Object.hasOwn(known, name) ? known[name] : undefined
    if (!methods) throw new TypeError(`createKernel: unknown port ${name}`)
    for (const method of Object.keys(methods))
      if (typeof (given as Readonly<Record<string, unknown>>)?.[method] !== 'function')
        throw new TypeError(`createKernel: ports.${name} has no method ${method}`)
  }
  if (ports.audit !== undefined) checkAudit(ports.audit)
}
