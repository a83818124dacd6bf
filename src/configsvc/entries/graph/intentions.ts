import { notFound } from '../../../core/base/errors.ts'
import { Pace, type Steps } from '../../../core/base/steps.ts'
import { quoteText } from '../../../core/hcl/index.ts'
import type { Compiler } from './compiler.ts'
import { Contradiction, contradiction } from './contradiction.ts'
import {
  foldEntryName,
  type GraphEntryReader,
  listedNames,
  type ReferenceLookup,
  type ServiceIntentions,
} from './graph-entries.ts'
import { prefetchAhead } from './prefetch-ahead.ts'
import { isHttpLike } from './protocol.ts'

/** @throws KernelError 400 if the intentions have permissions, but the protocol of the destination has no separate requests */
export function* validatePermissions(compiler: Compiler, { Name, Sources = [] }: ServiceIntentions): Steps<void> {
  if (Name === '*' || !Sources.some(({ Permissions }) => Permissions && Permissions.length > 0)) return
  const protocol = yield* compiler.protocol(Name)
  if (!isHttpLike(protocol))
    throw contradiction(
      `the service-intentions ${quoteText(Name)} have Permissions, which the protocol ${quoteText(protocol)} of the service does not permit; http, http2 and grpc do`,
      [Name],
    )
}

function* providersOf({ JWT, Sources = [] }: ServiceIntentions): Iterable<string> {
  yield* listedNames(JWT?.Providers)
  for (const { Permissions = [] } of Sources) {
    for (const permission of Permissions) yield* listedNames(permission.JWT?.Providers)
  }
}

const PROVIDER_MICROSECONDS = 3

/** The maximum number of missing providers in an error message. */
const MAX_PROVIDERS_SHOWN = 20

/** @throws KernelError 400 with the names of the providers that do not exist */
export function* validateProviders(entries: GraphEntryReader, intentions: ServiceIntentions): Steps<void> {
  const pace = new Pace()
  const names = new Map<string, string>()
  for (const name of providersOf(intentions)) {
    names.set(foldEntryName(name), name)
    if (pace.spend(PROVIDER_MICROSECONDS)) yield
  }
  const required = [...names.values()]
  const missing: string[] = []
  for (const [i, name] of required.entries()) {
    if (pace.spend(PROVIDER_MICROSECONDS)) yield
    yield* entries.load(() => prefetchAhead(entries, ['jwt-provider'], i, (from, to) => required.slice(from, to)))
    if (!(yield* entries.load(() => entries.get('jwt-provider', name)))) missing.push(name)
  }
  if (missing.length === 0) return
  const named = missing.slice(0, MAX_PROVIDERS_SHOWN).map(quoteText).join(', ')
  const more = missing.length > MAX_PROVIDERS_SHOWN ? ` and ${missing.length - MAX_PROVIDERS_SHOWN} more` : ''
  throw notFound(
    `the service-intentions ${quoteText(intentions.Name)} name JWT providers that do not exist as jwt-provider entries: ${named}${more}`,
    400,
  )
}

/** @throws KernelError 400 if intentions still name the deleted provider */
export function* validateProviderRemoval(entries: GraphEntryReader, references: ReferenceLookup, provider: string): Steps<void> {
  const pace = new Pace()
  const referring = yield* entries.load(() => [...references.referring('jwt-provider', provider)])
  for (const [i, { name }] of referring.entries()) {
    if (pace.spend(PROVIDER_MICROSECONDS)) yield
    const ahead = (from: number, to: number) => referring.slice(from, to).map((key) => key.name)
    yield* entries.load(() => prefetchAhead(entries, ['service-intentions'], i, ahead))
    const intentions = yield* entries.load(() => entries.get('service-intentions', name))
    for (const required of intentions ? providersOf(intentions) : []) {
      if (pace.spend(PROVIDER_MICROSECONDS)) yield
      if (foldEntryName(required) !== foldEntryName(provider)) continue
      throw new Contradiction(
        `the jwt-provider ${quoteText(provider)} is needed by the service-intentions ${quoteText(name)}`,
        [{ permission: 'intention:read', segment: name }],
        'ERR_IN_USE',
      )
    }
  }
}
