import { Inject } from '@nestjs/common'

/** The injection token of the kernel, for `inject` of factories and for `app.get`. */
export const KERNEL: unique symbol = Symbol.for('strongroom.kernel')

/**
 * Injects the kernel into a parameter of a constructor, or into a property.
 * @example
 * constructor(@InjectKernel() private readonly kernel: Kernel) {}
 */
export const InjectKernel = (): PropertyDecorator & ParameterDecorator => Inject(KERNEL)
