/** `strongroom/configsvc`: the configuration service. */

import { tracer } from '#platform/tracing'
import { createOwnService, type OwnConfigService, type OwnServiceOptions } from './configsvc/create.ts'

export type { AppliedEntries, ConfigEntry, ConfigEntryInput } from './configsvc/entries/operations/fields.ts'
export type { ConfigOptions } from './configsvc/options.ts'
export type { ConfigService, ConfigView } from './configsvc/service.ts'
export type { AclOptions, ConfigNaming } from './configsvc/settings.ts'
export type { OwnConfigService, OwnServiceOptions }

/**
 * Opens a configuration service on a storage of its own, and initializes the storage if it is empty. On a kernel, use `kernel.configsvc`.
 * @example
 * import { keySeal, memoryStorage } from 'strongroom'
 * import { createConfigService } from 'strongroom/configsvc'
 *
 * await using service = await createConfigService({ storage: memoryStorage(), seal: keySeal(rootKey) })
 * await service.policies.create({ Name: 'readers', Rules: 'service_prefix "" { policy = "read" }' })
 * @throws TypeError for invalid options; KernelError if the seal cannot unseal the store, or the store cannot be read.
 */
export const createConfigService = (options: OwnServiceOptions): Promise<OwnConfigService> => createOwnService(options, tracer)
