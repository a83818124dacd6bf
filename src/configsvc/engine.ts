import { KernelError } from '../core/base/errors.ts'
import { type EngineValue, engineValue } from '../core/contract/engine.ts'
import { KEY_SETS } from '../core/jwt/key-set-fetcher.ts'
import { TOKEN_REVIEWER } from '../core/jwt/token-reviewer.ts'
import type { KernelInternals } from '../core/kernel/assemble.ts'
import { CONFIGSVC } from '../core/transaction/service-keyspaces.ts'
import type { ConfigCore } from './core.ts'
import { deferredParts } from './deferred-parts.ts'
import { type ConfigOptions, checkConfigOptions } from './options.ts'
import { ConfigService } from './service.ts'

declare module '../core/kernel/options.ts' {
  interface KernelOptions {
    /** The configuration service, `kernel.configsvc`. */
    readonly configsvc?: ConfigOptions
  }
}

/** The services of a kernel that includes the configuration service. */
export interface ConfigServices {
  /** The configuration service on the store of the kernel. */
  readonly configsvc: ConfigService
}

/** Creates the configuration service. @param options Default: the option `configsvc` of the kernel. */
export const configsvc = (options?: ConfigOptions): EngineValue<object, object, ConfigServices> =>
  engineValue<object, object, ConfigServices>({
    type: 'system',
    mounts: 'system',
    keeps: 'core',
    operations: {},
    due: {},
    options: ['configsvc'],
    ports: { tokenReviewer: TOKEN_REVIEWER, keySets: KEY_SETS },
    services: {
      configsvc(internals: KernelInternals) {
        const { host, gate, tracer, claims, backgroundServices, workers } = internals
        const checked = checkConfigOptions(options ?? internals.options.configsvc)
        let core: ConfigCore | undefined
        const load = async () => {
          const code = await import('./loaded-service.ts').catch((cause: unknown) => {
            throw new KernelError('ERR_UNAVAILABLE', 'the code of the configuration service could not be loaded; retry', {
              cause,
            })
          })
          core ??= new code.ConfigCore({ host, gate, tracer, kernelId: claims.owner }, checked)
          return { code, core }
        }
        backgroundServices.add({ sealed: () => core?.onSealed() })
        workers.set(CONFIGSVC, async (entry) => {
          const { code, core } = await load()
          await core.ready()
          return code.workerIn(core.keyspace, entry)
        })
        return new ConfigService(
          deferredParts(() => load().then(({ code, core }) => code.configServicePartsOf(core)), host.clock),
        )
      },
    },
  })
