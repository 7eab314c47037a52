// EXPECT_ERROR(statement, Type, part): the statement throws exactly that type, and its what() contains part.
#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <string>
#include <typeinfo>

#define EXPECT_ERROR(statement, Type, part)                                                                 \
  do {                                                                                                      \
    try {                                                                                                   \
      statement;                                                                                            \
      ADD_FAILURE() << #statement " threw nothing; expected " #Type;                                        \
    } catch (const std::exception& triptych_error) {                                                        \
      EXPECT_TRUE(typeid(triptych_error) == typeid(Type))                                                   \
          << #statement " threw something other than " #Type;                                               \
      EXPECT_NE(std::string(triptych_error.what()).find(part), std::string::npos) << triptych_error.what(); \
    }                                                                                                       \
  } while (false)
