/**
 * Intentions: permissions need requests, and requirements of tokens need providers.
 */
import { invalid } from '../../../core/base/errors.ts'
import type { Steps } from '../../../core/base/steps.ts'
import { quoted } from '../../../core/hcl/index.ts'
import type { Compiler } from './compiler.ts'
import { Contradiction, contradiction } from './contradiction.ts'
import { type Entries, fold, namesOf, type References, type ServiceIntentions } from './entries-read.ts'
import { isHttpLike } from './protocol.ts'

/** @throws KernelError 400 if there are permissions and the destination's protocol has none */
export function* judgePermissions(compiler: Compiler, { Name, Sources = [] }: ServiceIntentions): Steps<void> {
  if (Name === '*' || !Sources.some(({ Permissions }) => Permissions && Permissions.length > 0)) return
  const protocol = yield* compiler.protocol(Name)
  if (!isHttpLike(protocol))
    throw contradiction(
      `the service-intentions ${quoted(Name)} have Permissions, which the protocol ${quoted(protocol)} of the service does not permit; http, http2 and grpc do`,
      [Name],
    )
}

function* providersOf({ JWT, Sources = [] }: ServiceIntentions): Iterable<string> {
  yield* namesOf(JWT?.Providers)
  for (const { Permissions = [] } of Sources) {
    for (const permission of Permissions) yield* namesOf(permission.JWT?.Providers)
  }
}

/** @throws KernelError 400 that names all providers that do not exist */
export function judgeProviders(entries: Entries, intentions: ServiceIntentions): void {
  const names = new Map([...providersOf(intentions)].map((name) => [fold(name), name]))
  entries.expect([...names.values()].map((name) => ({ kind: 'jwt-provider', name })))
  const missing = [...names.values()].filter((name) => !entries.get('jwt-provider', name))
  if (missing.length > 0)
    throw invalid(
      `the service-intentions ${quoted(intentions.Name)} name providers in JWT that are no jwt-provider: ${missing.map(quoted).join(', ')}`,
    )
}

/** @throws KernelError 400 if intentions name the provider, which is gone */
export function judgeRemovedProvider(entries: Entries, references: References, provider: string): void {
  const referring = [...references.referring('jwt-provider', provider)]
  entries.expect(referring.map(({ name }) => ({ kind: 'service-intentions', name })))
  for (const { name } of referring) {
    const intentions = entries.get('service-intentions', name)
    if (intentions && [...providersOf(intentions)].some((required) => fold(required) === fold(provider)))
      throw new Contradiction(`the jwt-provider ${quoted(provider)} is needed by the service-intentions ${quoted(name)}`, [
        { permission: 'intention:read', segment: name },
      ])
  }
}
