export const platform: string
export const addonName: string
export const prebuiltPackage: string
