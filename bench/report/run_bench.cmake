# Runs one bench with the commit in its result file: cmake -DPROGRAM=<bench> -DOUT=<file.json> -DROOT=<checkout> [-DEXTRA=<argument>] -P run_bench.cmake
execute_process(COMMAND git -C "${ROOT}" describe --always --dirty --exclude "*" OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE
  ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(commit "$ENV{TRIPTYCH_COMMIT}")
endif()
if(NOT commit)
  set(commit unknown)
endif()
execute_process(COMMAND "${PROGRAM}" "--benchmark_out=${OUT}" --benchmark_out_format=json "--benchmark_context=commit=${commit}" ${EXTRA}
  COMMAND_ERROR_IS_FATAL ANY)
