/** The module in real applications of NestJS. The classes are decorated by calls, because the tests are compiled without decorators. */
import { type DynamicModule, Inject, Injectable, Module, type ModuleMetadata } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { afterEach, describe, expect, it } from 'vitest'
import { InjectKernel, KERNEL, StrongroomModule } from '../../../src/adapters/nestjs/index.ts'
import { createDevKernel, type Kernel } from '../../../src/index.ts'

interface Closable {
  close(): Promise<void>
}

const open: Closable[] = []
afterEach(async () => {
  for (const app of open.splice(0)) await app.close()
})

/** A service that an application would write. */
class Orders {
  readonly kernel: Kernel

  constructor(kernel: Kernel) {
    this.kernel = kernel
  }

  async encrypt(text: string): Promise<string> {
    return (await this.kernel.transit.encrypt({ name: 'orders', plaintext: new TextEncoder().encode(text) })).ciphertext
  }
}
Injectable()(Orders)
InjectKernel()(Orders, undefined, 0)

function moduleWith(metadata: ModuleMetadata): new () => object {
  const made = class {}
  Module(metadata)(made)
  return made
}

async function start(root: new () => object) {
  const app = await NestFactory.createApplicationContext(root, { logger: false, abortOnError: false })
  open.push(app)
  return app
}

async function createOrdersKernel(): Promise<Kernel> {
  const kernel = await createDevKernel()
  await kernel.transit.createKey({ name: 'orders' })
  return kernel
}

const rootOf = (strongroom: DynamicModule) => moduleWith({ imports: [strongroom], providers: [Orders] })

describe('StrongroomModule.forRoot', () => {
  it('injects the kernel into services, and creates it once', async () => {
    let created = 0
    const kernel = () => {
      created++
      return createOrdersKernel()
    }
    const app = await start(rootOf(StrongroomModule.forRoot({ kernel })))
    expect(await app.get(Orders).encrypt('hello')).toMatch(/^strongroom:v1:/)
    expect(app.get(KERNEL)).toBe(app.get(Orders).kernel)
    expect(created).toBe(1)
  })

  it('closes the kernel when the application is closed', async () => {
    const app = await start(rootOf(StrongroomModule.forRoot({ kernel: createOrdersKernel })))
    const { kernel } = app.get(Orders)
    await app.close()
    expect(kernel.seal.state).toBe('closed')
  })

  it('provides the kernel only to modules that import it, unless it is global', async () => {
    const strongroom = (global: boolean) => StrongroomModule.forRoot({ kernel: createOrdersKernel, global })
    const inner = moduleWith({ providers: [Orders] })
    const app = await start(moduleWith({ imports: [strongroom(true), inner] }))
    expect(await app.get(Orders, { strict: false }).encrypt('hello')).toMatch(/^strongroom:v1:/)
    const other = moduleWith({ providers: [Orders] })
    await expect(start(moduleWith({ imports: [strongroom(false), other] }))).rejects.toThrow("can't resolve dependencies")
  })

  it('fails to start the application if the kernel cannot be created', async () => {
    const kernel = () => Promise.reject(new Error('the store does not answer'))
    await expect(start(rootOf(StrongroomModule.forRoot({ kernel })))).rejects.toThrow('the store does not answer')
  })

  it('refuses options without a function', () => {
    expect(() => StrongroomModule.forRoot({} as never)).toThrow('kernel: must be a function')
    expect(() => StrongroomModule.forRootAsync({} as never)).toThrow('useFactory: must be a function')
  })
})

describe('StrongroomModule.forRootAsync', () => {
  it('passes the injected providers of imported modules to the factory', async () => {
    class Config {
      readonly prefix = 'vault'
    }
    Injectable()(Config)
    const config = moduleWith({ providers: [Config], exports: [Config] })
    const useFactory = async ({ prefix }: Config) => {
      const kernel = await createDevKernel({ naming: { ciphertextPrefix: prefix } })
      await kernel.transit.createKey({ name: 'orders' })
      return kernel
    }
    const app = await start(rootOf(StrongroomModule.forRootAsync({ imports: [config], inject: [Config], useFactory })))
    expect(await app.get(Orders).encrypt('hello')).toMatch(/^vault:v1:/)
  })

  it('injects the kernel into properties', async () => {
    class Reports {
      kernel?: Kernel
    }
    Injectable()(Reports)
    InjectKernel()(Reports.prototype, 'kernel')
    const strongroom = StrongroomModule.forRootAsync({ useFactory: createOrdersKernel, global: true })
    const app = await start(moduleWith({ imports: [strongroom], providers: [Reports] }))
    expect(app.get(Reports).kernel).toBe(app.get(KERNEL))
  })

  it('closes the kernel after the services that use it have ended their work', async () => {
    const order: string[] = []
    class Worker {
      readonly kernel: Kernel
      constructor(kernel: Kernel) {
        this.kernel = kernel
      }
      async onModuleDestroy(): Promise<void> {
        await this.kernel.transit.readKey({ name: 'orders' })
        order.push(this.kernel.seal.state)
      }
    }
    Injectable()(Worker)
    Inject(KERNEL)(Worker, undefined as never, 0)
    const strongroom = StrongroomModule.forRootAsync({ useFactory: createOrdersKernel })
    const app = await start(moduleWith({ imports: [strongroom], providers: [Worker] }))
    const { kernel } = app.get(Worker)
    await app.close()
    expect([...order, kernel.seal.state]).toEqual(['open', 'closed'])
  })
})
