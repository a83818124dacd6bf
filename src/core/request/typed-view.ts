/**
 * Creates the classes of typed views, which are the objects with an engine's methods, such as `kernel.transit`. Each engine has a class
 * with a method for each operation.
 */
import { readOptions } from '../base/options.ts'
import type { Api, CallOptions } from '../contract/api.ts'
import type { AnyOperation, Operations } from '../contract/operation.ts'
import type { Values } from '../field/parse.ts'
import { callBatch } from './batch-call.ts'
import type { ViewBinding } from './binding.ts'
import { atCaller } from './caller-line.ts'
import { callItem, callSingle } from './single-call.ts'
import type { TypedMethod } from './typed-call.ts'

/** The binding is a private field, so that it is not visible when a view is inspected. */
class TypedView {
  readonly #binding: ViewBinding

  constructor(binding: ViewBinding) {
    this.#binding = binding
  }

  static bindingOf(view: TypedView): ViewBinding {
    return view.#binding
  }

  at(path: string): unknown {
    return this.#binding.at(path)
  }
}

type ViewClass<O extends Operations> = new (binding: ViewBinding) => Api<O>

const classes = new WeakMap<Operations, unknown>()

/** Returns the class of an engine's typed view. The class is created once, so that creating a view only allocates one object. */
export function typedView<O extends Operations>(operations: O): ViewClass<O> {
  const known = classes.get(operations)
  if (known) return known as ViewClass<O>
  class EngineView extends TypedView {}
  for (const [name, operation] of Object.entries(operations)) {
    define(EngineView.prototype, name, operation, operation.batch ? callItem(operation) : callSingle(operation))
    if (operation.batch) define(EngineView.prototype, `${name}Batch`, operation, callBatch(operation))
  }
  classes.set(operations, EngineView)
  return EngineView as unknown as ViewClass<O>
}

const NO_ARGUMENTS: Values = Object.freeze({})

const NO_OPTIONS: CallOptions = Object.freeze({})

const CALL_OPTIONS = { signal: 1, transaction: 1, remoteAddress: 1 }

const NOTHING_NOTED = (): void => {}

function define(
  prototype: object,
  name: string,
  { verb, path, onDrSecondary, whileJoining }: AnyOperation,
  call: TypedMethod,
): void {
  const method = function (this: TypedView, args: Values = NO_ARGUMENTS, given: CallOptions = NO_OPTIONS): Promise<unknown> {
    try {
      const binding = TypedView.bindingOf(this)
      if (typeof args !== 'object' || args === null) throw new TypeError(`${name}: takes an object of named arguments`)
      const options = given === NO_OPTIONS ? given : readOptions(name, given, CALL_OPTIONS)
      binding.gate.check(onDrSecondary, whileJoining)
      const { tracer } = binding
      if (!tracer.listening) return call(binding, args, options)
      return tracer.request(
        { view: 'typed', verb, path, operation: name, ...binding.traced },
        async () => call(binding, args, options),
        NOTHING_NOTED,
      )
    } catch (error) {
      return Promise.reject(atCaller(error, method))
    }
  }
  Object.defineProperty(prototype, name, { value: method, writable: true, configurable: true })
}
