// An application adds ports, events and reasons of its own to the interfaces of the package. Compiled by types.mjs, never run.
import {
  createDevKernel,
  type EventType,
  type KernelEvent,
  type LoginRefusalReason,
  type LoginRefusalReasons,
  type Ports,
} from 'strongroom'
import type { LoginRefusalReason as ReasonOfEngines } from 'strongroom/engine'

declare module 'strongroom' {
  interface Ports {
    readonly billing?: { charge(cents: number): Promise<void> }
  }
  interface CommittedEvents {
    'invoice.paid': { readonly cents: number }
  }
  interface LoginRefusalReasons {
    'account-closed': true
  }
}

export async function usesAdditions(): Promise<void> {
  const billing: Required<Ports>['billing'] = { async charge() {} }
  const kernel = await createDevKernel({ ports: { billing, databases: {} } })
  // @ts-expect-error the additions do not make other members valid
  await createDevKernel({ ports: { shipping: billing } })
  kernel.events.on('invoice.paid', ({ cents }) => cents.toFixed(2))
  // @ts-expect-error no such event
  kernel.events.on('invoice.sent', () => {})
  kernel.events.on('key.rotated', ({ version }) => version.toFixed())
  kernel.events.on('login.refused', ({ reason }) => reason === 'account-closed')
}

export const types: readonly EventType[] = ['invoice.paid', 'key.rotated', 'login.refused']
export const centsOf = (event: KernelEvent): number => (event.type === 'invoice.paid' ? event.cents : 0)
/** The other entries have the additions, too. */
export const reasons: readonly (keyof LoginRefusalReasons)[] = ['account-closed', 'too-many-failures']
export const reasonsOfRoot: readonly LoginRefusalReason[] = reasons
export const reasonsOfEngines: readonly ReasonOfEngines[] = reasons
