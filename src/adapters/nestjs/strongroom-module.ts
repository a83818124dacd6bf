/** The module of NestJS. It uses no decorators, so that neither the package nor the application needs their metadata. */
import type { DynamicModule, FactoryProvider, ModuleMetadata, OnApplicationShutdown, Provider } from '@nestjs/common'
import { readOptions } from '../../core/base/options.ts'
import { KERNEL } from './inject-kernel.ts'

interface Closable {
  close(): Promise<void>
}

export interface ModuleOptions {
  /** Creates the kernel, such as `() => createKernel({ storage, seal })`. Called once. */
  readonly kernel: () => Closable | Promise<Closable>
  /** Whether all modules of the application may inject the kernel without importing this module. Default false. */
  readonly global?: boolean
}

export interface AsyncModuleOptions {
  /** The modules with the providers that `inject` lists. Default: none. */
  readonly imports?: ModuleMetadata['imports']
  /** The providers that are passed to `useFactory`, in this order. Default: none. */
  readonly inject?: FactoryProvider['inject']
  /** Creates the kernel. Called once, with the providers of `inject`. */
  // biome-ignore lint/suspicious/noExplicitAny: NestJS does not know the types of injected providers either.
  readonly useFactory: (...providers: any[]) => Closable | Promise<Closable>
  /** Whether all modules of the application may inject the kernel without importing this module. Default false. */
  readonly global?: boolean
}

/**
 * Provides a kernel for {@link InjectKernel}. The module closes the kernel when the application shuts down: in `app.close()`, and on signals
 * after `app.enableShutdownHooks()`. At that time, the application's server no longer accepts requests. The storage remains open, because it
 * belongs to the application.
 */
// biome-ignore lint/complexity/noStaticOnlyClass: a module of NestJS is a class.
export class StrongroomModule {
  /** @throws TypeError for an invalid option. */
  static forRoot(options: ModuleOptions): DynamicModule {
    const { kernel, global = false } = readOptions('forRoot', options, { kernel: 1, global: 1 })
    if (typeof kernel !== 'function') throw new TypeError('kernel: must be a function that creates the kernel')
    return moduleOf({ useFactory: kernel, global })
  }

  /** @throws TypeError for an invalid option. */
  static forRootAsync(options: AsyncModuleOptions): DynamicModule {
    const read = readOptions('forRootAsync', options, { imports: 1, inject: 1, useFactory: 1, global: 1 })
    if (typeof read.useFactory !== 'function') throw new TypeError('useFactory: must be a function that creates the kernel')
    return moduleOf(read)
  }
}

const CLOSER = Symbol('strongroom.closer')

function moduleOf({ imports = [], inject = [], useFactory, global = false }: AsyncModuleOptions): DynamicModule {
  const kernel: Provider = { provide: KERNEL, inject, useFactory }
  const closer: Provider = { provide: CLOSER, inject: [KERNEL], useFactory: closerOf }
  return { module: StrongroomModule, global, imports, providers: [kernel, closer], exports: [KERNEL] }
}

const closerOf = (kernel: Closable): OnApplicationShutdown => ({ onApplicationShutdown: () => kernel.close() })
