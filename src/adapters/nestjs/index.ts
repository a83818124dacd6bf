/** `strongroom/nestjs`: a module of NestJS that provides a kernel. */
export { InjectKernel, KERNEL } from './inject-kernel.ts'
export { type AsyncModuleOptions, type ModuleOptions, StrongroomModule } from './strongroom-module.ts'
