const PERSONAL_PATHS = ["/v1/manage/", "/v1/auth/"]

/** Whether a path takes credentials of persons and their programs, which service keys are not. */
export const isPersonal = (path: string): boolean => PERSONAL_PATHS.some((prefix) => path.startsWith(prefix))
